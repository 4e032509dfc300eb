// SPDX-License-Identifier: BSL-1.0
// f16 and bf16: every pattern read, and every boundary between two of them met by rounding.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/core/narrow_float.hpp>

namespace {

using namespace ashlar;

static_assert(sizeof(f16) == 2 && sizeof(bf16) == 2 && alignof(f16) == 2 && alignof(bf16) == 2);
static_assert(std::is_trivially_copyable_v<bf16> && std::is_trivially_default_constructible_v<bf16>);
static_assert(!std::is_same_v<f16, bf16> && std::is_convertible_v<bf16, float> && !std::is_convertible_v<float, bf16>);
static_assert(static_cast<float>(bf16(1.0f)) == 1.0f && static_cast<float>(f16(-2)) == -2.0f && bf16(3.0) < 4.0f);
static_assert(static_cast<float>(f16(65504.0f)) == 65504.0f && static_cast<float>(bf16(0x1p100f)) == 0x1p100f);

template <bf16 Value>
constexpr float as_argument = Value;
static_assert(as_argument<bf16(0.5f)> == 0.5f, "a structural type");

float of_half(std::uint32_t bits) { return std::bit_cast<f16>(static_cast<std::uint16_t>(bits)); }
float of_brain(std::uint32_t bits) { return std::bit_cast<bf16>(static_cast<std::uint16_t>(bits)); }
std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

/// What the format says, by other means.
float half_by_definition(std::uint32_t bits) {
    const int exponent = static_cast<int>(bits >> 10 & 31u), fraction = static_cast<int>(bits & 0x3FFu);
    float size = 0;
    if (exponent == 31)
        size = fraction != 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    else if (exponent == 0)
        size = std::ldexp(static_cast<float>(fraction), -24);
    else
        size = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    return (bits & 0x8000u) != 0 ? -size : size;
}

TEST(NarrowFloat, EveryHalfIsReadAndComesBack) {
    for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
        const float value = of_half(bits), expected = half_by_definition(bits);
        const auto again = std::bit_cast<std::uint16_t>(f16(value));
        if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(value)) << bits;
            ASSERT_NE(bits_of(value) & 0x400000u, 0u) << "a quiet one";
            ASSERT_EQ(bits_of(value) >> 31, bits >> 15);
            ASSERT_EQ(again, bits | 0x200u) << "the same, quiet";
        } else {
            ASSERT_EQ(bits_of(value), bits_of(expected)) << bits;
            ASSERT_EQ(again, bits);
        }
    }
}

TEST(NarrowFloat, EveryBfloatIsReadAndComesBack) {
    for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
        const float value = of_brain(bits);
        const auto again = std::bit_cast<std::uint16_t>(bf16(value));
        const bool is_nan = (bits & 0x7FFFu) > 0x7F80u;
        ASSERT_EQ(std::isnan(value), is_nan) << bits;
        if (!is_nan) ASSERT_EQ(bits_of(value), bits << 16);
        ASSERT_EQ(again, is_nan ? bits | 0x40u : bits);
    }
}

/// Around the middle between each number and the next one: below it the lower, above it the upper, on it the even one.
template <class Narrow, class Read>
void expect_nearest(std::uint32_t infinity, float beyond, Read read) {
    for (std::uint32_t bits = 0; bits < infinity; ++bits) {
        const double low = read(bits), high = bits + 1 == infinity ? static_cast<double>(beyond) : read(bits + 1);
        const auto middle = static_cast<float>((low + high) / 2);
        if (static_cast<double>(middle) != (low + high) / 2) continue;  // below the least float
        const float inf = std::numeric_limits<float>::infinity();
        const auto rounded = [](float x) { return std::uint32_t{std::bit_cast<std::uint16_t>(Narrow(x))}; };
        ASSERT_EQ(rounded(middle), bits + (bits & 1u)) << bits;
        ASSERT_EQ(rounded(std::nextafter(middle, 0.0f)), bits);
        ASSERT_EQ(rounded(std::nextafter(middle, inf)), bits + 1);
        ASSERT_EQ(rounded(-middle), (bits + (bits & 1u)) | 0x8000u);
        ASSERT_EQ(rounded(-std::nextafter(middle, inf)), (bits + 1) | 0x8000u);
    }
}
TEST(NarrowFloat, HalvesAreTheNearestOnes) { expect_nearest<f16>(0x7C00u, 65536.0f, of_half); }
TEST(NarrowFloat, BfloatsAreTheNearestOnes) {
    // The midpoint above the greatest number is a float, and the number above it is not: tested by bits.
    expect_nearest<bf16>(0x7F7Fu, of_brain(0x7F7Fu), of_brain);
    const auto rounded = [](std::uint32_t bits) {
        return std::bit_cast<std::uint16_t>(bf16(std::bit_cast<float>(bits)));
    };
    EXPECT_EQ(rounded(0x7F7F7FFFu), 0x7F7Fu);
    EXPECT_EQ(rounded(0x7F7F8000u), 0x7F80u);
    EXPECT_EQ(rounded(0xFF7FFFFFu), 0xFF80u);
}

TEST(NarrowFloat, NoNaNBecomesInfinity) {
    for (std::uint32_t low = 1; low < 0x800000u; low += 0x1357u)
        for (const std::uint32_t sign : {0u, 0x80000000u}) {
            const float nan = std::bit_cast<float>(0x7F800000u | low | sign);
            ASSERT_TRUE(std::isnan(static_cast<float>(f16(nan)))) << low;
            ASSERT_TRUE(std::isnan(static_cast<float>(bf16(nan)))) << low;
        }
    EXPECT_EQ(std::bit_cast<std::uint16_t>(f16(std::numeric_limits<float>::max())), 0x7C00u);
    EXPECT_EQ(std::bit_cast<std::uint16_t>(f16(0x1p-25f)), 0u);
    EXPECT_EQ(std::bit_cast<std::uint16_t>(f16(-0x1p-140f)), 0x8000u);
}

// A double is rounded once. Rounded to float first, these would be midpoints, which round to the even number below.
TEST(NarrowFloat, DoublesAreRoundedOnce) {
    const auto half = [](double x) { return std::bit_cast<std::uint16_t>(f16(x)); };
    const auto brain = [](double x) { return std::bit_cast<std::uint16_t>(bf16(x)); };
    EXPECT_EQ(half(1 + 0x1p-11 + 0x1p-30), 0x3C01u);
    EXPECT_EQ(half(-1 - 0x1p-11 - 0x1p-30), 0xBC01u);
    EXPECT_EQ(half(1 + 0x1p-11), 0x3C00u);
    EXPECT_EQ(half(1 + 3 * 0x1p-11 - 0x1p-30), 0x3C01u);
    EXPECT_EQ(half(0x1p-25 + 0x1p-60), 1u);
    // The nearest float is the odd one next to the midpoint. It must stay odd.
    EXPECT_EQ(half(1 + 0x1p-11 + 0.75 * 0x1p-23), 0x3C01u);
    EXPECT_EQ(half(1 + 3 * 0x1p-11 - 0.75 * 0x1p-23), 0x3C01u);
    EXPECT_EQ(half(-1 - 0x1p-11 - 0.75 * 0x1p-23), 0xBC01u);
    EXPECT_EQ(brain(1 + 0x1p-8 + 0.75 * 0x1p-23), 0x3F81u);
    EXPECT_EQ(brain(1 + 3 * 0x1p-8 - 0.75 * 0x1p-23), 0x3F81u);
    EXPECT_EQ(half(-0.0), 0x8000u);
    EXPECT_EQ(half(1e-300), 0u);
    EXPECT_EQ(brain(1 + 0x1p-8 + 0x1p-33), 0x3F81u);
    EXPECT_EQ(brain(1 + 0x1p-8), 0x3F80u);
    static_assert(static_cast<float>(f16(0.1)) == 0.0999755859375f);
}

}  // namespace
