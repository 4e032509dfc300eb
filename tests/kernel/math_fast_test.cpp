// SPDX-License-Identifier: BSL-1.0
// The functions with the policy `fast`: their bounds, special values, and that nothing else became fast.
#include <algorithm>
#include <array>
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

template <class X>
struct named_result {
    const char* name;
    X value;
};
/// All functions of lanes or of a number.
constexpr auto all_fast = []<class X>(X x) {
    return std::array<named_result<X>, 7>{{{"exp", exp(x, fast)},
                                           {"exp_nonpositive", exp_nonpositive(-abs(x), fast)},
                                           {"tanh", tanh(x, fast)},
                                           {"sigmoid", sigmoid(x, fast)},
                                           {"silu", silu(x, fast)},
                                           {"gelu", gelu(x, fast)},
                                           {"gelu_tanh", gelu_tanh(x, fast)}}};
};

TYPED_TEST(fast_of, special_values) {
    using T = TypeParam;
    if (fast_math) GTEST_SKIP() << "infinities and NaN are not promised under -ffast-math";
    using wide = lanes<T, lane_width<T>>;
    const auto last = [](T argument) {
        std::array<T, 7> of{};
        for (std::size_t f = 0; const auto& result : all_fast(opaque(wide(argument))))
            of[f++] = result.value[lane_width<T> - 1];
        return of;
    };
    enum { exp_, down_, tanh_, sigmoid_, silu_, gelu_, gelu_tanh_ };
    const auto at_0 = last(0), below = last(-inf<T>), above = last(inf<T>);
    EXPECT_EQ(at_0[exp_], 1);
    EXPECT_EQ(at_0[down_], 1);
    for (const auto f : {exp_, down_, sigmoid_}) EXPECT_EQ(below[f], 0) << f;
    EXPECT_EQ(above[exp_], inf<T>);
    EXPECT_EQ(last(T(-1e30))[down_], 0);
    EXPECT_EQ(above[sigmoid_], 1);
    for (const auto f : {silu_, gelu_, gelu_tanh_}) EXPECT_TRUE(is_nan_bits(below[f])) << f;
    EXPECT_EQ(above[gelu_], inf<T>);
    EXPECT_EQ(last(T(1e30))[gelu_tanh_], T(1e30));
    EXPECT_TRUE(std::signbit(last(T(-0.0))[tanh_]));
    for (const typename detail::float_format<T>::bits payload : {0, 1, 255, 511, 4095})
        for (const T result : last(__builtin_bit_cast(T, detail::float_format<T>::quiet_nan | payload)))
            EXPECT_TRUE(is_nan_bits(result));
}

TYPED_TEST(fast_of, constant_expressions) {
    using T = TypeParam;
    static constexpr T arguments[] = {T(-60), T(-3.5), T(-1e-5), T(0.3), T(2), T(20)};
    static constexpr std::array then{all_fast(arguments[0]), all_fast(arguments[1]), all_fast(arguments[2]),
                                     all_fast(arguments[3]), all_fast(arguments[4]), all_fast(arguments[5])};
    for (std::size_t i = 0; i < std::size(arguments); ++i) {
        T argument = arguments[i];
        __asm__("" : "+m"(argument));
        const auto now = all_fast(argument);
        // Multiples of ln 2 are rounded twice there. That is small compared with the error of fast functions.
        for (std::size_t f = 0; f < now.size(); ++f)
            EXPECT_LE(ulps(now[f].value, static_cast<long double>(then[i][f].value)), 256)
                << now[f].name << '(' << argument << ')';
    }
}

}  // namespace
