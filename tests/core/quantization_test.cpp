// SPDX-License-Identifier: BSL-1.0
// How floats become integers of 8 bits, at the ends of what a line of them can hold.
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/core/quantization.hpp>

namespace {

using namespace ashlar;
using detail::byte_scale;
using detail::rounded_to_byte;

constexpr byte_scale scale_of(float greatest) { return detail::byte_scale_of(detail::magnitude_bits(greatest)); }

TEST(quantization, a_line_is_kept_or_zero) {
    // Below 2^-120 a line has no reciprocal that is a number; from there on what is the greatest becomes 127.
    float greatest = std::numeric_limits<float>::denorm_min();
    for (; greatest < 0x1p-120f; greatest *= 2) {
        const byte_scale none = scale_of(greatest);
        EXPECT_EQ(none.scale, 0.0f) << greatest;
        EXPECT_EQ(none.inverse, 0.0f) << greatest;
    }
    EXPECT_EQ(scale_of(std::nextafter(0x1p-120f, 0.0f)).scale, 0.0f);
    for (; std::isfinite(greatest); greatest *= 2)
        for (const float sign : {1.0f, -1.0f}) {
            const byte_scale by = scale_of(sign * greatest);
            ASSERT_TRUE(std::isfinite(by.inverse) && by.inverse > 0) << greatest;
            EXPECT_EQ(rounded_to_byte(sign * greatest, by.inverse), sign * 127) << greatest;
            // A scale may be denormal, and then has fewer digits.
            EXPECT_NEAR(static_cast<double>(by.scale) * 127 / static_cast<double>(greatest), 1, 1e-5) << greatest;
        }
    EXPECT_EQ(scale_of(0.0f).scale, 0.0f);
    EXPECT_EQ(scale_of(-0.0f).scale, 0.0f);
    EXPECT_TRUE(std::isnan(scale_of(std::numeric_limits<float>::infinity()).scale));
    EXPECT_TRUE(std::isnan(scale_of(std::numeric_limits<float>::quiet_NaN()).scale));
    EXPECT_FALSE(std::isnan(scale_of((std::numeric_limits<float>::max)()).scale));
}

TEST(quantization, integers_are_the_nearest_ones) {
    for (int n = -127; n <= 127; ++n)
        for (const float off : {-0.5f, -0.49f, 0.0f, 0.25f, 0.49f, 0.5f}) {
            const float x = static_cast<float>(n) + off;
            if (std::fabs(x) > 127.4f) continue;
            EXPECT_EQ(rounded_to_byte(x, 1), static_cast<int>(std::nearbyint(x))) << x;
            EXPECT_EQ(rounded_to_byte(x / 64, 64), static_cast<int>(std::nearbyint(x))) << x;
        }
    EXPECT_EQ(rounded_to_byte(std::nextafter(0.5f, 0.0f), 1), 0);
    EXPECT_EQ(rounded_to_byte(std::nextafter(0.5f, 1.0f), 1), 1);
    EXPECT_EQ(rounded_to_byte(std::nextafter(2.5f, 3.0f), 1), 3);
    EXPECT_EQ(rounded_to_byte(std::nextafter(2.5f, 2.0f), 1), 2);
    EXPECT_EQ(rounded_to_byte(128.0f, 1), 0);
    EXPECT_EQ(rounded_to_byte(std::numeric_limits<float>::quiet_NaN(), 1), 0);
}

}  // namespace
