// SPDX-License-Identifier: BSL-1.0
// Lanes of float from memory of f16, bf16 and integers of 8 bits, and back: as the elements by themselves, bit by bit.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/simd.hpp>

namespace {

using namespace ashlar;

std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

template <class Narrow, std::size_t Width>
void expect_all() {
    using vec = lanes<float, Width>;
    std::vector<Narrow> all(0x10000u);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::bit_cast<Narrow>(static_cast<std::uint16_t>(i));
    float wide[Width];
    Narrow back[Width];
    for (std::size_t first = 0; first + Width <= all.size(); first += Width) {
        const vec x = vec::load(all.data() + first);
        x.store(wide);
        x.store(back);
        for (std::size_t i = 0; i < Width; ++i) {
            const float expected = all[first + i];
            if (std::isnan(expected)) {
                ASSERT_TRUE(std::isnan(wide[i])) << first + i;
                ASSERT_TRUE(std::isnan(static_cast<float>(back[i]))) << first + i;
            } else {
                ASSERT_EQ(bits_of(wide[i]), bits_of(expected)) << first + i;
                ASSERT_EQ(std::bit_cast<std::uint16_t>(back[i]), first + i);
            }
        }
    }
    // Rounding: patterns all over the range of float, with those around the middles among them.
    std::uint32_t bits = 0;
    for (int n = 0; n < 40'000; ++n) {
        for (float& x : wide) {
            bits += 0x10000u * 13u + 0x7FFFu + static_cast<std::uint32_t>(n % 3);
            x = std::bit_cast<float>(n % 2 == 0 ? bits : (bits & 0xFFFFE000u) | 0x1000u);
        }
        vec::load(wide).store(back);
        for (std::size_t i = 0; i < Width; ++i) {
            const Narrow expected(wide[i]);
            if (std::isnan(wide[i]))
                ASSERT_TRUE(std::isnan(static_cast<float>(back[i])));
            else
                ASSERT_EQ(std::bit_cast<std::uint16_t>(back[i]), std::bit_cast<std::uint16_t>(expected)) << wide[i];
        }
    }
}

template <class Narrow, std::size_t Width, std::size_t Count>
void expect_part() {
    using vec = lanes<float, Width>;
    // Of the exact size, so that a sanitizer sees what is read behind it.
    std::vector<Narrow> from(Count), to(Count);
    for (std::size_t i = 0; i < Count; ++i) from[i] = Narrow(static_cast<float>(i) - 1.5f);
    const vec x = vec::template load_partial<Count>(from.data());
    float wide[Width];
    x.store(wide);
    for (std::size_t i = 0; i < Width; ++i)
        EXPECT_EQ(wide[i], i < Count ? static_cast<float>(i) - 1.5f : 0.0f) << Count;
    x.template store_partial<Count>(to.data());
    for (std::size_t i = 0; i < Count; ++i) EXPECT_EQ(static_cast<float>(to[i]), static_cast<float>(from[i]));
}

template <std::size_t Width, std::size_t Count>
void expect_whole_part() {
    using detail::narrow_integer;
    std::vector<narrow_integer> from(Count), to(Count);
    for (std::size_t i = 0; i < Count; ++i) from[i] = narrow_integer(static_cast<int>(i) - 3);
    const auto x = lanes<float, Width>::template load_partial<Count>(from.data());
    for (std::size_t i = 0; i < Width; ++i) EXPECT_EQ(x[i], i < Count ? static_cast<float>(i) - 3 : 0.0f) << Count;
    x.template store_partial<Count>(to.data());
    for (std::size_t i = 0; i < Count; ++i) EXPECT_EQ(to[i].value, from[i].value);
}

template <std::size_t Width>
void expect_integers() {
    using vec = lanes<float, Width>;
    using detail::narrow_integer;
    std::vector<narrow_integer> all(256), back(Width);
    for (int i = 0; i < 256; ++i) all[static_cast<std::size_t>(i)].value = static_cast<std::int8_t>(i - 128);
    float wide[Width];
    for (std::size_t first = 0; first + Width <= all.size(); ++first) {
        vec::load(all.data() + first).store(wide);
        for (std::size_t i = 0; i < Width; ++i) ASSERT_EQ(wide[i], static_cast<float>(first + i) - 128.0f);
    }
    // Quarters, every second of which is a half or a whole number; and the floats next to them.
    for (int quarters = -127 * 4; quarters <= 127 * 4; ++quarters)
        for (const float beside : {-200.0f, 0.0f, 200.0f}) {
            const float x = std::nextafter(static_cast<float>(quarters) * 0.25f, beside);
            vec(x).store(back.data());
            for (const narrow_integer b : back) {
                ASSERT_EQ(static_cast<float>(b), std::nearbyint(x)) << x;
                ASSERT_EQ(b.value, narrow_integer(x).value) << x;
            }
        }
    vec(std::nanf("")).store(back.data());
    for (const narrow_integer b : back) EXPECT_EQ(b.value, 0);
    EXPECT_EQ(narrow_integer(std::nanf("")).value, 0);
}

template <std::size_t Width>
void expect_width() {
    expect_integers<Width>();
    expect_all<f16, Width>();
    expect_all<bf16, Width>();
    [&]<std::size_t... Count>(std::index_sequence<Count...>) {
        (expect_part<f16, Width, Count + 1>(), ...);
        (expect_part<bf16, Width, Count + 1>(), ...);
        (expect_whole_part<Width, Count + 1>(), ...);
    }(std::make_index_sequence<Width>{});
    std::vector<bf16> apart(3 * Width);
    for (std::size_t i = 0; i < apart.size(); ++i) apart[i] = bf16(static_cast<float>(i));
    const auto x = lanes<float, Width>::gather_strided(apart.data(), 3);
    for (std::size_t i = 0; i < Width; ++i) EXPECT_EQ(x[i], static_cast<float>(3 * i));
}

TEST(NarrowLanes, Registers) { expect_width<lane_width<float>>(); }
TEST(NarrowLanes, One) { expect_width<1>(); }
TEST(NarrowLanes, Four) { expect_width<4>(); }
TEST(NarrowLanes, Eight) { expect_width<8>(); }
TEST(NarrowLanes, NoRegister) { expect_width<6>(); }

}  // namespace
