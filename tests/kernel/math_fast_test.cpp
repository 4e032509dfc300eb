// SPDX-License-Identifier: BSL-1.0
// The functions with the policy `fast`: their bounds, special values, and that nothing else became fast.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include <gtest/gtest.h>

#include <ashlar/kernel/math.hpp>
#include <ashlar/kernel/simd.hpp>

#include "kernel/math_errors.hpp"

namespace {

using namespace ashlar;
using namespace support;

static_assert(exp(0.0f, fast) == 1 && exp(-inf<float>, fast) == 0 && exp(100.0f, fast) == inf<float>);
static_assert(exp(1000.0, fast) == inf<double> && exp_nonpositive(-inf<double>, fast) == 0);
static_assert(exp_nonpositive(0.0f, fast) == 1 && exp_nonpositive(-100.0f, fast) == 0);
static_assert(sigmoid(-inf<float>, fast) == 0 && sigmoid(inf<float>, fast) == 1 && sigmoid(0.0f, fast) == 0.5f);
// As in PyTorch, minus infinity times 0.
constexpr bool is_nan(auto x) { return x != x; }
static_assert(is_nan(silu(-inf<float>, fast)) && is_nan(gelu(-inf<float>, fast)) && is_nan(gelu(-inf<double>, fast)));
static_assert(gelu(inf<float>, fast) == inf<float> && gelu(0.0f, fast) == 0 && is_nan(gelu_tanh(-inf<float>, fast)));
static_assert(tanh(0.0f, fast) == 0 && tanh(inf<float>, fast) < 1 && tanh(-inf<double>, fast) > -1);
static_assert(detail::is_nan(exp(lanes<float, 1>(nan_value<float>), fast))[0] &&
              detail::is_nan(tanh(lanes<double, 1>(nan_value<double>), fast))[0]);

template <class T>
class fast_of : public testing::Test {};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(fast_of, floats);

/// The largest error of f over evenly spaced arguments, in lanes and alone, relative to the result or to `least`.
template <class T, class F, class Reference>
double error_of(double low, double high, double least, F f, Reference reference) {
    constexpr std::size_t N = lane_width<T>, steps = 100'000 / N * N;
    double worst = 0;
    for (std::size_t i = 0; i < steps; i += N) {
        T x[N], y[N];
        for (std::size_t j = 0; j < N; ++j)
            x[j] = static_cast<T>(low + (high - low) * static_cast<double>(i + j) / static_cast<double>(steps - 1));
        f(lanes<T, N>::load(x)).store(y);
        const T alone = f(lanes<T, 1>(x[0]))[0];
        for (std::size_t j = 0; j <= N; ++j) {
            const double expected = reference(static_cast<double>(x[j == N ? 0 : j]));
            const double distance = std::fabs(static_cast<double>(j == N ? alone : y[j]) - expected);
            const double error = distance / std::max(std::fabs(expected), least);
            worst = std::max(worst, is_nan_bits(error) ? 1e30 : error);
        }
    }
    return worst;
}

double reference_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double reference_gelu(double x) { return x * std::erfc(-x * 0.70710678118654752440) / 2; }

TYPED_TEST(fast_of, bounds) {
    using T = TypeParam;
    constexpr double tiny = 1e-37;
    const auto expect = [](const char* name, double bound, double error) {
        EXPECT_LE(error, bound) << name;
        // Another polynomial than the precise one.
        EXPECT_GT(error, 1e-5) << name;
    };
    const auto exponential = [](double x) { return std::exp(x); };
    expect("exp", 1.2e-4, error_of<T>(-87, 88.7, tiny, [](auto x) { return exp(x, fast); }, exponential));
    expect("exp_nonpositive", 1.2e-4,
           error_of<T>(-87.3, 0, tiny, [](auto x) { return exp_nonpositive(x, fast); }, exponential));
    expect("tanh", 1e-4,
           error_of<T>(-9, 9, tiny, [](auto x) { return tanh(x, fast); }, [](double x) { return std::tanh(x); }));
    expect("sigmoid", 1.2e-4, error_of<T>(-87, 40, tiny, [](auto x) { return sigmoid(x, fast); }, reference_sigmoid));
    expect("silu", 1.2e-4,
           error_of<T>(
               -60, 40, tiny, [](auto x) { return silu(x, fast); }, [](double x) { return x * reference_sigmoid(x); }));
    expect("gelu", 5e-5, error_of<T>(-12, 12, 1, [](auto x) { return gelu(x, fast); }, reference_gelu));
    expect("gelu near 0", 5e-4, error_of<T>(-1, 1, tiny, [](auto x) { return gelu(x, fast); }, reference_gelu));
    expect("gelu_tanh", 1.2e-4,
           error_of<T>(
               -4, 40, tiny, [](auto x) { return gelu_tanh(x, fast); },
               [](double x) { return x * reference_sigmoid(1.59576912160573071176 * (x + 0.044715 * x * x * x)); }));
}

TYPED_TEST(fast_of, special_values) {
    using T = TypeParam;
    if (fast_math) GTEST_SKIP() << "infinities and NaN are not promised under -ffast-math";
    using wide = lanes<T, lane_width<T>>;
    const auto last = [](auto f, T argument) { return f(opaque(wide(argument)))[lane_width<T> - 1]; };
    const auto e = [](auto x) { return exp(x, fast); };
    const auto down = [](auto x) { return exp_nonpositive(x, fast); };
    EXPECT_EQ(last(e, 0), 1);
    EXPECT_EQ(last(e, -inf<T>), 0);
    EXPECT_EQ(last(e, inf<T>), inf<T>);
    EXPECT_EQ(last(down, 0), 1);
    EXPECT_EQ(last(down, -inf<T>), 0);
    EXPECT_EQ(last(down, T(-1e30)), 0);
    EXPECT_EQ(last([](auto x) { return sigmoid(x, fast); }, -inf<T>), 0);
    EXPECT_EQ(last([](auto x) { return sigmoid(x, fast); }, inf<T>), 1);
    EXPECT_TRUE(is_nan_bits(last([](auto x) { return gelu(x, fast); }, -inf<T>)));
    EXPECT_EQ(last([](auto x) { return gelu(x, fast); }, inf<T>), inf<T>);
    EXPECT_EQ(last([](auto x) { return gelu_tanh(x, fast); }, T(1e30)), T(1e30));
    EXPECT_TRUE(is_nan_bits(last([](auto x) { return silu(x, fast); }, -inf<T>)));
    EXPECT_TRUE(is_nan_bits(last([](auto x) { return gelu_tanh(x, fast); }, -inf<T>)));
    EXPECT_TRUE(std::signbit(last([](auto x) { return tanh(x, fast); }, T(-0.0))));
    for (const typename detail::float_format<T>::bits payload : {0, 1, 255, 511, 4095}) {
        const T nan = __builtin_bit_cast(T, detail::float_format<T>::quiet_nan | payload);
        EXPECT_TRUE(is_nan_bits(last(e, nan)));
        EXPECT_TRUE(is_nan_bits(last(down, nan)));
        EXPECT_TRUE(is_nan_bits(last([](auto x) { return tanh(x, fast); }, nan)));
        EXPECT_TRUE(is_nan_bits(last([](auto x) { return sigmoid(x, fast); }, nan)));
        EXPECT_TRUE(is_nan_bits(last([](auto x) { return silu(x, fast); }, nan)));
        EXPECT_TRUE(is_nan_bits(last([](auto x) { return gelu(x, fast); }, nan)));
        EXPECT_TRUE(is_nan_bits(last([](auto x) { return gelu_tanh(x, fast); }, nan)));
    }
}

TYPED_TEST(fast_of, constant_expressions) {
    using T = TypeParam;
    static constexpr T arguments[] = {T(-60), T(-3.5), T(-1e-5), T(0.3), T(2), T(20)};
    struct values {
        T exp, tanh, sigmoid, silu, gelu, gelu_tanh;
    };
    constexpr auto all = [](T x) {
        return values{exp(x, fast), tanh(x, fast), sigmoid(x, fast), silu(x, fast), gelu(x, fast), gelu_tanh(x, fast)};
    };
    static constexpr values then[] = {all(arguments[0]), all(arguments[1]), all(arguments[2]),
                                      all(arguments[3]), all(arguments[4]), all(arguments[5])};
    for (std::size_t i = 0; i < std::size(arguments); ++i) {
        T argument = arguments[i];
        __asm__("" : "+m"(argument));
        const values now = all(argument);
        const auto check = [&](const char* name, T a, T b) {
            // Multiples of ln 2 are rounded twice there. That is small compared with the error of fast functions.
            EXPECT_LE(ulps(a, static_cast<long double>(b)), 256) << name << '(' << argument << ')';
        };
        check("exp", now.exp, then[i].exp);
        check("tanh", now.tanh, then[i].tanh);
        check("sigmoid", now.sigmoid, then[i].sigmoid);
        check("silu", now.silu, then[i].silu);
        check("gelu", now.gelu, then[i].gelu);
        check("gelu_tanh", now.gelu_tanh, then[i].gelu_tanh);
    }
}

}  // namespace
