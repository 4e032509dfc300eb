// SPDX-License-Identifier: BSL-1.0
// The mathematical functions at their special values and in constant expressions.
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/math.hpp>
#include <ashlar/kernel/simd.hpp>

#include "kernel/math_errors.hpp"

namespace {

using namespace ashlar;
using namespace support;

template <class T>
class math_of : public testing::Test {
protected:
    static constexpr bool single = sizeof(T) == 4;
};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(math_of, floats);

/// Arguments and results, in the widest lanes and as a scalar; the scalar at run time.
template <class T, class F>
void expect_special(const char* name, F f, std::initializer_list<std::pair<T, T>> cases) {
    constexpr std::size_t N = lane_width<T>;
    for (const auto& [argument, expected] : cases) {
        const T wide = f(opaque(lanes<T, N>(argument)))[N - 1], single = f(opaque(lanes<T, 1>(argument)))[0];
        for (const T got : {wide, single}) {
            if (is_nan_bits(expected)) {
                EXPECT_TRUE(is_nan_bits(got)) << name << "(" << argument << ") is " << got;
            } else {
                EXPECT_EQ(got, expected) << name << "(" << argument << ")";
                EXPECT_EQ(std::signbit(got), std::signbit(expected)) << name << "(" << argument << ")";
            }
        }
    }
}
constexpr auto sin_of = [](auto x) { return ashlar::sin(x); };
constexpr auto cos_of = [](auto x) { return ashlar::cos(x); };

TYPED_TEST(math_of, special_values) {
    using T = TypeParam;
    if (fast_math) GTEST_SKIP() << "infinities and NaN are not promised under -ffast-math";
    const T infinity = inf<T>, nan = nan_value<T>, lowest = std::numeric_limits<T>::lowest(), minus_0 = T(-0.0);
    const T too_large = this->single ? T(88.73) : T(709.79), too_small = this->single ? T(-104) : T(-746);
    expect_special<T>(
        "exp", exp_of,
        {{0, 1}, {minus_0, 1}, {infinity, infinity}, {-infinity, 0}, {too_large, infinity}, {too_small, 0}});
    expect_special<T>("exp_nonpositive", exp_nonpositive_of, {{0, 1}, {-infinity, 0}, {T(-1e4), 0}, {lowest, 0}});
    expect_special<T>("exp2_nonpositive", exp2_nonpositive_of, {{0, 1}, {-infinity, 0}, {-5, T(1) / 32}});
    expect_special<T>(
        "log", log_of,
        {{1, 0}, {0, -infinity}, {minus_0, -infinity}, {infinity, infinity}, {-1, nan}, {-infinity, nan}});
    expect_special<T>("sin", sin_of, {{minus_0, minus_0}, {infinity, nan}});
    expect_special<T>("cos", cos_of, {{minus_0, 1}, {-infinity, nan}});
    expect_special<T>("tanh", tanh_of, {{0, 0}, {minus_0, minus_0}, {infinity, 1}, {-infinity, -1}, {30, 1}});
    expect_special<T>("erf", erf_of, {{0, 0}, {minus_0, minus_0}, {infinity, 1}, {-infinity, -1}});
    expect_special<T>("sigmoid", sigmoid_of, {{0, T(0.5)}, {infinity, 1}, {-infinity, 0}});
    expect_special<T>("silu", silu_of, {{infinity, infinity}, {-infinity, nan}, {lowest, minus_0}});
    expect_special<T>("gelu", gelu_of, {{0, 0}, {infinity, infinity}, {100, 100}, {-infinity, nan}});
    EXPECT_TRUE(is_nan_bits(ashlar::gelu(-infinity)));
    EXPECT_EQ(ashlar::gelu(lowest), 0);
    EXPECT_EQ(ashlar::gelu(T(-100)), 0);
    expect_special<T>("gelu_tanh", gelu_tanh_of,
                      {{infinity, infinity}, {-infinity, nan}, {lowest, minus_0}, {T(1e30), T(1e30)}});
    expect_special<T>("relu", relu_of, {{-3, 0}, {3, 3}});
    expect_special<T>("sqrt", sqrt_of, {{minus_0, minus_0}, {infinity, infinity}, {-1, nan}});
    expect_special<T>("rsqrt", rsqrt_of, {{0, infinity}, {infinity, 0}});
    // NaN of every kind, with any low bits.
    for (const typename detail::float_format<T>::bits payload : {0, 1, 2, 255, 511, 4095})
        for (const bool negative : {false, true}) {
            using format = detail::float_format<T>;
            const T odd_nan = __builtin_bit_cast(
                T, static_cast<typename format::bits>(format::quiet_nan | payload | (negative ? format::sign : 0)));
            const auto check = [&](const char* name, auto f) { expect_special<T>(name, f, {{odd_nan, nan}}); };
            check("exp", exp_of);
            check("exp_nonpositive", exp_nonpositive_of);
            check("exp2_nonpositive", exp2_nonpositive_of);
            check("log", log_of);
            check("tanh", tanh_of);
            check("erf", erf_of);
            check("sigmoid", sigmoid_of);
            check("silu", silu_of);
            check("gelu", gelu_of);
            check("gelu_tanh", gelu_tanh_of);
            check("sin", sin_of);
            check("cos", cos_of);
            check("sqrt", sqrt_of);
            check("rsqrt", rsqrt_of);
            check("relu", relu_of);
            check("clamp", [](auto x) { return clamp(x, -1, 1); });
        }
}

TYPED_TEST(math_of, special_powers) {
    using T = TypeParam;
    if (fast_math) GTEST_SKIP() << "infinities and NaN are not promised under -ffast-math";
    using limits = std::numeric_limits<T>;
    std::vector<T> values{nan_value<T>, limits::denorm_min(), limits::min(), limits::max()};
    for (const double x : {0.0, 0.5, 1.0, 2.0, 2.5, 3.0, 1000.0, 1001.0, 1e30})
        for (const double signed_x : {x, -x}) values.push_back(static_cast<T>(signed_x));
    values.insert(values.end(), {inf<T>, -inf<T>});
    constexpr std::size_t N = lane_width<T>;
    const auto is_subnormal = [](T x) { return x != 0 && std::fabs(x) < std::numeric_limits<T>::min(); };
    for (const T x : values)
        for (const T y : values) {
            if (flushes_subnormals<T> && (is_subnormal(x) || is_subnormal(y) || is_subnormal(std::pow(x, y)))) continue;
            const T expected = std::pow(x, y),
                    wide = ashlar::pow(opaque(lanes<T, N>(x)), opaque(lanes<T, N>(y)))[N - 1],
                    scalar = ashlar::pow(x, y);
            for (const T got : {wide, scalar}) {
                if (is_nan_bits(expected)) {
                    EXPECT_TRUE(is_nan_bits(got)) << x << " to the " << y << " is " << got;
                } else if (std::fabs(expected) > std::numeric_limits<T>::max() || expected == 0) {
                    EXPECT_EQ(got, expected) << x << " to the " << y;
                    EXPECT_EQ(std::signbit(got), std::signbit(expected)) << x << " to the " << y;
                } else {
                    EXPECT_LE(ulps(got, static_cast<long double>(expected)), 4)
                        << x << " to the " << y << " is " << got;
                }
            }
        }
}

template <class T>
struct named_result {
    const char* name;
    T value;
};
/// Arguments of constant expressions, and their results. Without infinities the last two are left out.
template <class T>
constexpr T arguments[] = {T(-90), T(-20), T(-3.5), T(-1),  T(-0.3), T(-1e-5), T(0),   T(1e-30),
                           T(0.1), T(0.7), T(1),    T(2.5), T(12),   T(80),    inf<T>, -inf<T>};
template <class T>
constexpr auto results_of(T x) {
    const T down = x < 0 ? x : -x, up = x < 0 ? -x : x;
    return std::array<named_result<T>, 13>{{{"exp", ashlar::exp(x)},
                                            {"exp_nonpositive", ashlar::exp_nonpositive(down)},
                                            {"exp2_nonpositive", ashlar::exp2_nonpositive(down)},
                                            {"log", ashlar::log(up + T(1e-20))},
                                            {"tanh", ashlar::tanh(x)},
                                            {"erf", ashlar::erf(x)},
                                            {"sigmoid", ashlar::sigmoid(x)},
                                            {"silu", ashlar::silu(x)},
                                            {"gelu", ashlar::gelu(x)},
                                            {"gelu_tanh", ashlar::gelu_tanh(x)},
                                            {"sqrt", ashlar::sqrt(up)},
                                            {"rsqrt", ashlar::rsqrt(up)},
                                            {"pow", ashlar::pow(up, T(1.25))}}};
}

// Special values are constant expressions too.
static_assert(ashlar::exp(100.0f) == inf<float> && ashlar::exp(-200.0) == 1.3838965267367376e-87);
static_assert(detail::is_nan(ashlar::exp(lanes<float, 1>(nan_value<float>)))[0] &&
              detail::is_nan(ashlar::exp_nonpositive(lanes<double, 1>(nan_value<double>)))[0]);
static_assert(detail::is_nan(ashlar::log(lanes<float, 1>(-1)))[0] && ashlar::log(0.0f) == -inf<float>);
static_assert(ashlar::silu(-3e38f) == 0 && ashlar::gelu(-3e38f) == 0 && ashlar::gelu_tanh(-3e38f) == 0 &&
              ashlar::gelu_tanh(1e30f) == 1e30f);
static_assert(ashlar::sqrt(std::numeric_limits<float>::max()) > 1.8446e19f &&
              ashlar::sqrt(std::numeric_limits<double>::max()) > 1.3407e154 && ashlar::rsqrt(4.0) == 0.5);
static_assert(ashlar::pow(2.0f, 10.0f) == 1024 && ashlar::pow(0.0f, -1.0f) == inf<float> &&
              ashlar::pow(-8.0, 3.0) == -512 && ashlar::pow(10.0f, 60.0f) == inf<float>);
static_assert(ashlar::relu(-1.0f) == 0 && ashlar::relu(2.0) == 2 && ashlar::clamp(5, 0, 3) == 3 &&
              ashlar::min(1, 2) == 1 && ashlar::max(1.0f, 2.0f) == 2 && ashlar::abs(-3.5) == 3.5 &&
              ashlar::abs(-3) == 3);
static_assert(ashlar::floor(-0.5f) == -1 && ashlar::fma(2.0f, 3.0f, 4.0f) == 10);

TYPED_TEST(math_of, constant_expressions) {
    using T = TypeParam;
    static constexpr std::size_t count = std::size(arguments<T>);
    static constexpr auto at_compile_time = [] {
        std::array<decltype(results_of(T(0))), count> all{};
        for (std::size_t i = 0; i < count; ++i) all[i] = results_of(arguments<T>[i]);
        return all;
    }();
    for (std::size_t i = 0; i < count - (fast_math ? 2 : 0); ++i) {
        T argument = arguments<T>[i];
        __asm__("" : "+m"(argument));
        const auto now = results_of(argument);
        for (std::size_t f = 0; f < now.size(); ++f) {
            const T a = now[f].value, b = at_compile_time[i][f].value;
            if (a == b || (is_nan_bits(a) && is_nan_bits(b))) continue;
            EXPECT_LE(ulps(a, static_cast<long double>(b)), fast_math ? 40 : 2)
                << now[f].name << "(" << argument << "): " << a << " and " << b;
        }
    }
}

TEST(math, scalars_of_std_and_ours) {
    using namespace std;
    // Both using-directives, as users write them.
    EXPECT_EQ(min(1, 2), 1);
    EXPECT_EQ(max(1.5f, 2.5f), 2.5f);
    EXPECT_EQ(clamp(7, 0, 5), 5);
    EXPECT_EQ(abs(-2.0f), 2.0f);
    EXPECT_NEAR(tanh(0.5f), 0.46211716f, 1e-6f);
    const lanes<float, lane_width<float>> x(2), y(3);
    EXPECT_EQ(min(x, y)[0], 2);
    EXPECT_EQ(max(x, y)[0], 3);
    EXPECT_EQ(clamp(x, 0, 1)[0], 1);
    EXPECT_EQ(fma(x, y, x)[0], 8);
}

}  // namespace
