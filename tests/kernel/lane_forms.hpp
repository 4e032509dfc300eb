// SPDX-License-Identifier: BSL-1.0
// Every form of lanes that this build has, and values to try them on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/kernel/simd.hpp>

namespace support {

using ashlar::build_config;
using ashlar::current_config;
using ashlar::lane_mask;
using ashlar::lane_width;
using ashlar::lanes;

/// Lanes that are never in registers.
using emulated_config = build_config<ashlar::detail::instruction_sets() | (std::uint64_t{256} << 48), 256, 16, 65536,
                                     32768, 524288, true, current_config::fast_math>;

template <class T, std::size_t N, class Config = current_config>
struct form {
    using element = T;
    using vector = lanes<T, N, Config>;
    using mask = lane_mask<T, N, Config>;
    static constexpr std::size_t size = N;
};

/// Compares lanes; compiled once for each type of elements, as comparisons by GoogleTest in each of some thousand forms
/// would take a minute to compile.
template <class T>
[[gnu::noinline]] void expect_equal(const T* got, const T* wanted, std::size_t count, const char* what) {
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(got[i], wanted[i]) << what << " lane " << i;
}
/// Within a few roundings where -ffast-math replaces divisions by multiplications.
template <class T>
[[gnu::noinline]] void expect_near(const T* got, const T* wanted, std::size_t count, const char* what) {
    if (!std::is_floating_point_v<T> || !current_config::fast_math) return expect_equal(got, wanted, count, what);
    for (std::size_t i = 0; i < count; ++i) {
        const double expected = static_cast<double>(wanted[i]);
        const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
        EXPECT_NEAR(static_cast<double>(got[i]), expected, 4 * epsilon * (expected < 0 ? -expected : expected)) << what;
    }
}

template <class Form>
struct samples {
    using T = typename Form::element;
    using L = typename Form::vector;
    using M = typename Form::mask;
    static constexpr std::size_t N = Form::size;
    static constexpr bool floating = std::is_floating_point_v<T>;

    std::mt19937 engine{42};
    T a[N], b[N], c[N];
    bool p[N], q[N];

    /// Values of both signs, small enough that no operation below rounds or overflows.
    T draw() {
        const int value = static_cast<int>(engine() % 15) - (std::is_signed_v<T> ? 7 : 0);
        return static_cast<T>(value);
    }
    void draw_all() {
        for (std::size_t i = 0; i < N; ++i) {
            a[i] = draw();
            b[i] = draw();
            c[i] = draw();
            if constexpr (floating) a[i] += static_cast<T>(static_cast<int>(engine() % 8)) / 8;
            p[i] = engine() % 2 != 0;
            q[i] = engine() % 2 != 0;
        }
    }

    template <class F>
    static void expect(L got, F expected, const char* what) {
        T values[N], wanted[N];
        got.store(values);
        for (std::size_t i = 0; i < N; ++i) wanted[i] = static_cast<T>(expected(i));
        expect_near(values, wanted, N, what);
    }
    template <class F>
    static void expect_mask(M got, F expected, const char* what) {
        bool values[N];
        unsigned char bytes[N], wanted[N];
        std::memset(values, 2, N);
        got.store(values);
        std::memcpy(bytes, values, N);
        for (std::size_t i = 0; i < N; ++i) wanted[i] = expected(i) ? 1 : 0;
        expect_equal(bytes, wanted, N, what);
    }
};

template <std::size_t Bits, class T>
constexpr std::size_t narrow =
    ashlar::detail::in_register<T, Bits / 8 / sizeof(T), current_config>() ? Bits / 8 / sizeof(T) : 1;

template <class T>
using all_forms = testing::Types<form<T, lane_width<T>>, form<T, narrow<128, T>>, form<T, narrow<256, T>>, form<T, 1>,
                                 form<T, 5>, form<T, 8, emulated_config>>;

template <class...>
struct joined;
template <class... A>
struct joined<testing::Types<A...>> {
    using type = testing::Types<A...>;
};
template <class... A, class... B, class... Rest>
struct joined<testing::Types<A...>, testing::Types<B...>, Rest...> : joined<testing::Types<A..., B...>, Rest...> {};

using forms = typename joined<
    all_forms<float>, all_forms<double>,
    testing::Types<form<std::int32_t, lane_width<int>>, form<std::int32_t, narrow<128, int>>, form<std::int32_t, 1>,
                   form<std::int32_t, 8, emulated_config>, form<std::uint32_t, lane_width<int>>,
                   form<std::int64_t, lane_width<std::int64_t>>, form<std::int64_t, narrow<128, std::int64_t>>,
                   form<unsigned long long, lane_width<unsigned long long>>, form<long, lane_width<long>>,
                   form<std::int16_t, lane_width<std::int16_t>>, form<std::uint16_t, narrow<128, std::uint16_t>>,
                   form<std::int8_t, lane_width<std::int8_t>>, form<std::uint8_t, lane_width<std::uint8_t>>,
                   form<std::uint8_t, narrow<128, std::uint8_t>>, form<char, 1>>>::type;

}  // namespace support
