// SPDX-License-Identifier: BSL-1.0
// The gates of recurrent steps beside double precision, at their limits and for NaN.
#include <cmath>
#include <cstddef>

#include <gtest/gtest.h>

#include <ashlar/kernel/math.hpp>
#include <ashlar/kernel/simd.hpp>

#include "kernel/math_errors.hpp"

namespace {

using namespace ashlar;
using namespace support;

double sigmoid_of_double(double x) { return 1 / (1 + std::exp(-x)); }

template <class T>
constexpr T arguments[] = {T(-100), T(-61),   T(-20), T(-9.5), T(-9.01), T(-3),     T(-0.7), T(-1e-3),
                           T(0),    T(1e-20), T(0.3), T(0.62), T(1),     T(2.9999), T(8.9),  T(200)};
template <class T>
constexpr T kept[] = {T(-700), T(-1.5), T(-1e-6), T(0), T(0.25), T(3)};

/// The first lane of a function of numbers that all lanes repeat.
template <class T, class Lanes>
struct in_lanes {
    template <class F, class... Arguments>
    static T of(F f, Arguments... x) {
        return f(opaque(Lanes(x))...)[0];
    }
};

template <class T>
class gates : public testing::Test {
protected:
    /// Of the sum of the magnitudes that are added.
    static constexpr double bound = sizeof(T) == 4 ? 1.2e-6 : 2e-15;

    template <std::size_t Width>
    static void check_lstm() {
        using at = in_lanes<T, lanes<T, Width>>;
        const auto memory = [](auto i, auto f, auto g, auto c) { return detail::lstm_memory(i, f, g, c); };
        const auto output = [](auto o, auto c) { return detail::lstm_output(o, c); };
        for (const T i : arguments<T>)
            for (const T f : arguments<T>)
                for (const T g : arguments<T>)
                    for (const T c : kept<T>) {
                        const double forgotten = sigmoid_of_double(f) * c,
                                     added = sigmoid_of_double(i) * std::tanh(double(g));
                        EXPECT_NEAR(at::of(memory, i, f, g, c), forgotten + added,
                                    bound * (std::fabs(forgotten) + std::fabs(added)) + 1e-23)
                            << i << " " << f << " " << g << " " << c;
                    }
        for (const T o : arguments<T>)
            for (const T c : arguments<T>) {
                const double expected = sigmoid_of_double(o) * std::tanh(double(c));
                EXPECT_NEAR(at::of(output, o, c), expected, bound * std::fabs(expected) + 1e-25) << o << " " << c;
            }
    }

    template <std::size_t Width>
    static void check_gru() {
        using at = in_lanes<T, lanes<T, Width>>;
        const auto output = [](auto r, auto z, auto x, auto y, auto h) { return detail::gru_output(r, z, x, y, h); };
        for (const T r : arguments<T>)
            for (const T z : arguments<T>)
                for (const T x : arguments<T>)
                    for (const T y : {T(-2), T(0), T(1.25)})
                        for (const T h : kept<T>) {
                            const double n = std::tanh(double(x) + sigmoid_of_double(r) * y), u = sigmoid_of_double(z);
                            EXPECT_NEAR(at::of(output, r, z, x, y, h), n + u * (h - n), bound * (2 + std::fabs(u * h)))
                                << r << " " << z << " " << x << " " << y << " " << h;
                        }
    }
};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(gates, floats);

TYPED_TEST(gates, of_an_lstm) {
    this->template check_lstm<1>();
    this->template check_lstm<lane_width<TypeParam>>();
}

TYPED_TEST(gates, of_a_gru) {
    this->template check_gru<1>();
    this->template check_gru<lane_width<TypeParam>>();
}

// A quiet signal keeps its relative accuracy: the functions are as exact near zero as elsewhere.
TYPED_TEST(gates, small_numbers_keep_their_accuracy) {
    using T = TypeParam;
    using at = in_lanes<T, lanes<T, lane_width<T>>>;
    for (const T c : {T(1e-3), T(1e-9), T(1e-20)}) {
        const T got = at::of([](auto o, auto x) { return detail::lstm_output(o, x); }, T(0), c);
        EXPECT_NEAR(got / c, 0.5, 1e-6) << c;
    }
}

TYPED_TEST(gates, nan_stays) {
    using T = TypeParam;
    if (fast_math) GTEST_SKIP() << "NaN is not promised under -ffast-math";
    using at = in_lanes<T, lanes<T, lane_width<T>>>;
    const T nan = nan_value<T>;
    for (std::size_t which = 0; which < 5; ++which) {
        const auto x = [&](std::size_t argument) { return argument == which ? nan : T(0.5); };
        if (which < 4) {
            EXPECT_TRUE(
                is_nan_bits(at::of([](auto i, auto f, auto g, auto c) { return detail::lstm_memory(i, f, g, c); }, x(0),
                                   x(1), x(2), x(3))))
                << which;
        }
        if (which < 2) {
            EXPECT_TRUE(is_nan_bits(at::of([](auto o, auto c) { return detail::lstm_output(o, c); }, x(0), x(1))))
                << which;
        }
        EXPECT_TRUE(
            is_nan_bits(at::of([](auto r, auto z, auto n, auto y, auto h) { return detail::gru_output(r, z, n, y, h); },
                               x(0), x(1), x(2), x(3), x(4))))
            << which;
    }
}

// Gates that are closed or open to the last bit.
TYPED_TEST(gates, infinities) {
    using T = TypeParam;
    if (fast_math) GTEST_SKIP() << "infinities are not promised under -ffast-math";
    using at = in_lanes<T, lanes<T, lane_width<T>>>;
    const auto memory = [](auto i, auto f, auto g, auto c) { return detail::lstm_memory(i, f, g, c); };
    EXPECT_NEAR(at::of(memory, -inf<T>, inf<T>, inf<T>, T(0.75)), 0.75, 1e-6);
    EXPECT_NEAR(at::of(memory, inf<T>, -inf<T>, -inf<T>, T(0.75)), -1, 1e-6);
}

}  // namespace
