// SPDX-License-Identifier: BSL-1.0
// The mathematical functions at their special values and in constant expressions.
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

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

/// In the widest lanes and as a scalar; the scalar at run time.
template <class T, class F>
void expect_special(const char* name, F f, T argument, T expected) {
    constexpr std::size_t N = lane_width<T>;
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

TYPED_TEST(math_of, special_values) {
    using T = TypeParam;
    if (fast_math) GTEST_SKIP() << "infinities and NaN are not promised under -ffast-math";
    const T infinity = inf<T>, nan = nan_value<T>;
    expect_special<T>("exp", exp_of, 0, 1);
    expect_special<T>("exp", exp_of, T(-0.0), 1);
    expect_special<T>("exp", exp_of, infinity, infinity);
    expect_special<T>("exp", exp_of, -infinity, 0);
    expect_special<T>("exp", exp_of, this->single ? T(88.73) : T(709.79), infinity);
    expect_special<T>("exp", exp_of, this->single ? T(-104) : T(-746), 0);
    for (const auto f :
         {+[](lanes<T, 1> x) { return exp_nonpositive(x); }, +[](lanes<T, 1> x) { return exp2_nonpositive(x); }}) {
        EXPECT_EQ(f(lanes<T, 1>(T(0)))[0], 1);
        EXPECT_EQ(f(lanes<T, 1>(-infinity))[0], 0);
    }
    expect_special<T>("exp_nonpositive", exp_nonpositive_of, 0, 1);
    expect_special<T>("exp_nonpositive", exp_nonpositive_of, -infinity, 0);
    expect_special<T>("exp_nonpositive", exp_nonpositive_of, T(-1e4), 0);
    expect_special<T>("exp_nonpositive", exp_nonpositive_of, std::numeric_limits<T>::lowest(), 0);
    expect_special<T>("exp2_nonpositive", exp2_nonpositive_of, 0, 1);
    expect_special<T>("exp2_nonpositive", exp2_nonpositive_of, -infinity, 0);
    expect_special<T>("exp2_nonpositive", exp2_nonpositive_of, -5, T(1) / 32);
    expect_special<T>("log", log_of, 1, 0);
    expect_special<T>("log", log_of, 0, -infinity);
    expect_special<T>("log", log_of, T(-0.0), -infinity);
    expect_special<T>("log", log_of, infinity, infinity);
    expect_special<T>("log", log_of, -1, nan);
    expect_special<T>("log", log_of, -infinity, nan);
    expect_special<T>("sin", [](auto x) { return sin(x); }, T(-0.0), T(-0.0));
    expect_special<T>("sin", [](auto x) { return sin(x); }, infinity, nan);
    expect_special<T>("cos", [](auto x) { return cos(x); }, T(-0.0), 1);
    expect_special<T>("cos", [](auto x) { return cos(x); }, -infinity, nan);
    expect_special<T>("tanh", tanh_of, 0, 0);
    expect_special<T>("tanh", tanh_of, T(-0.0), T(-0.0));
    expect_special<T>("tanh", tanh_of, infinity, 1);
    expect_special<T>("tanh", tanh_of, -infinity, -1);
    expect_special<T>("tanh", tanh_of, 30, 1);
    expect_special<T>("erf", erf_of, 0, 0);
    expect_special<T>("erf", erf_of, T(-0.0), T(-0.0));
    expect_special<T>("erf", erf_of, infinity, 1);
    expect_special<T>("erf", erf_of, -infinity, -1);
    expect_special<T>("sigmoid", sigmoid_of, 0, T(0.5));
    expect_special<T>("sigmoid", sigmoid_of, infinity, 1);
    expect_special<T>("sigmoid", sigmoid_of, -infinity, 0);
    expect_special<T>("silu", silu_of, infinity, infinity);
    expect_special<T>("silu", silu_of, -infinity, nan);
    expect_special<T>("silu", silu_of, std::numeric_limits<T>::lowest(), T(-0.0));
    expect_special<T>("gelu", gelu_of, 0, 0);
    expect_special<T>("gelu", gelu_of, infinity, infinity);
    expect_special<T>("gelu", gelu_of, 100, 100);
    expect_special<T>("gelu_tanh", gelu_tanh_of, infinity, infinity);
    expect_special<T>("gelu_tanh", gelu_tanh_of, -infinity, nan);
    expect_special<T>("gelu_tanh", gelu_tanh_of, std::numeric_limits<T>::lowest(), T(-0.0));
    expect_special<T>("gelu_tanh", gelu_tanh_of, T(1e30), T(1e30));
    expect_special<T>("gelu", gelu_of, -infinity, nan);
    EXPECT_TRUE(is_nan_bits(ashlar::gelu(-infinity)));
    EXPECT_EQ(ashlar::gelu(std::numeric_limits<T>::lowest()), 0);
    EXPECT_EQ(ashlar::gelu(T(-100)), 0);
    expect_special<T>("relu", relu_of, -3, 0);
    expect_special<T>("relu", relu_of, 3, 3);
    expect_special<T>("sqrt", sqrt_of, T(-0.0), T(-0.0));
    expect_special<T>("sqrt", sqrt_of, infinity, infinity);
    expect_special<T>("sqrt", sqrt_of, -1, nan);
    expect_special<T>("rsqrt", rsqrt_of, 0, infinity);
    expect_special<T>("rsqrt", rsqrt_of, infinity, 0);
    // NaN of every kind, with any low bits.
    for (const typename detail::float_format<T>::bits payload : {0, 1, 2, 255, 511, 4095})
        for (const bool negative : {false, true}) {
            using format = detail::float_format<T>;
            const T odd_nan = __builtin_bit_cast(
                T, static_cast<typename format::bits>(format::quiet_nan | payload | (negative ? format::sign : 0)));
            const auto check = [&](const char* name, auto f) { expect_special<T>(name, f, odd_nan, nan); };
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
            check("sin", [](auto x) { return sin(x); });
            check("cos", [](auto x) { return cos(x); });
            check("sqrt", sqrt_of);
            check("rsqrt", rsqrt_of);
            check("relu", relu_of);
            check("clamp", [](auto x) { return clamp(x, -1, 1); });
        }
}

TYPED_TEST(math_of, special_powers) {
    using T = TypeParam;
    if (fast_math) GTEST_SKIP() << "infinities and NaN are not promised under -ffast-math";
    const T values[] = {0,
                        T(-0.0),
                        1,
                        -1,
                        T(0.5),
                        T(-0.5),
                        2,
                        -2,
                        3,
                        -3,
                        T(2.5),
                        T(-2.5),
                        1000,
                        -1001,
                        T(1e30),
                        T(-1e30),
                        inf<T>,
                        -inf<T>,
                        nan_value<T>,
                        std::numeric_limits<T>::denorm_min(),
                        std::numeric_limits<T>::min(),
                        std::numeric_limits<T>::max()};
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

/// Results of constant expressions.
template <class T>
struct constants {
    static constexpr T arguments[] = {T(-90),   T(-20), T(-3.5), T(-1), T(-0.3), T(-1e-5), T(0),
                                      T(1e-30), T(0.1), T(0.7),  T(1),  T(2.5),  T(12),    T(80)};
    static constexpr std::size_t count = std::size(arguments);
    struct row {
        T exp, exp_nonpositive, exp2_nonpositive, log, tanh, erf, sigmoid, silu, gelu, gelu_tanh, sqrt, rsqrt, pow;
    };
    struct table {
        row rows[count];
    };
    static constexpr row row_of(T x) {
        const T down = x < 0 ? x : -x, up = x < 0 ? -x : x;
        return {ashlar::exp(x),
                ashlar::exp_nonpositive(down),
                ashlar::exp2_nonpositive(down),
                ashlar::log(up + T(1e-20)),
                ashlar::tanh(x),
                ashlar::erf(x),
                ashlar::sigmoid(x),
                ashlar::silu(x),
                ashlar::gelu(x),
                ashlar::gelu_tanh(x),
                ashlar::sqrt(up),
                ashlar::rsqrt(up),
                ashlar::pow(up, T(1.25))};
    }
    static constexpr table made() {
        table result{};
        for (std::size_t i = 0; i < count; ++i) result.rows[i] = row_of(arguments[i]);
        return result;
    }
};

// Special values are constant expressions too.
static_assert(ashlar::exp(inf<float>) == inf<float> && ashlar::exp(-inf<float>) == 0 &&
              ashlar::exp(100.0f) == inf<float> && ashlar::exp(-200.0) == 1.3838965267367376e-87);
static_assert(ashlar::exp(1000.0) == inf<double> && ashlar::exp_nonpositive(-inf<float>) == 0 &&
              ashlar::exp_nonpositive(0.0f) == 1 && ashlar::exp2_nonpositive(-inf<double>) == 0);
static_assert(detail::is_nan(ashlar::exp(lanes<float, 1>(nan_value<float>)))[0] &&
              detail::is_nan(ashlar::exp_nonpositive(lanes<double, 1>(nan_value<double>)))[0]);
static_assert(detail::is_nan(ashlar::log(lanes<float, 1>(-1)))[0] && ashlar::log(0.0f) == -inf<float> &&
              ashlar::log(inf<double>) == inf<double> && ashlar::log(1.0f) == 0);
static_assert(ashlar::tanh(inf<float>) == 1 && ashlar::tanh(-inf<double>) == -1 && ashlar::erf(inf<float>) == 1 &&
              ashlar::erf(-inf<double>) == -1);
static_assert(ashlar::sigmoid(-inf<float>) == 0 && ashlar::sigmoid(inf<float>) == 1 &&
              detail::is_nan(lanes<float, 1>(ashlar::silu(-inf<float>)))[0] && ashlar::silu(-3e38f) == 0 &&
              ashlar::gelu(-3e38f) == 0 && detail::is_nan(lanes<float, 1>(ashlar::gelu(-inf<float>)))[0] &&
              ashlar::gelu(inf<double>) == inf<double>);
static_assert(detail::is_nan(lanes<float, 1>(ashlar::gelu_tanh(-inf<float>)))[0] && ashlar::gelu_tanh(-3e38f) == 0 &&
              ashlar::gelu_tanh(inf<double>) == inf<double> && ashlar::gelu_tanh(1e30f) == 1e30f);
static_assert(ashlar::rsqrt(0.0f) == inf<float> && ashlar::sqrt(inf<float>) == inf<float> &&
              ashlar::sqrt(std::numeric_limits<float>::max()) > 1.8446e19f &&
              ashlar::sqrt(std::numeric_limits<double>::max()) > 1.3407e154 && ashlar::rsqrt(inf<float>) == 0 &&
              ashlar::rsqrt(4.0) == 0.5);
static_assert(ashlar::pow(2.0f, 10.0f) == 1024 && ashlar::pow(0.0f, -1.0f) == inf<float> &&
              ashlar::pow(-8.0, 3.0) == -512 && ashlar::pow(inf<float>, -1.0f) == 0 &&
              ashlar::pow(10.0f, 60.0f) == inf<float>);
static_assert(ashlar::relu(-1.0f) == 0 && ashlar::relu(2.0) == 2 && ashlar::clamp(5, 0, 3) == 3 &&
              ashlar::min(1, 2) == 1 && ashlar::max(1.0f, 2.0f) == 2 && ashlar::abs(-3.5) == 3.5 &&
              ashlar::abs(-3) == 3);
static_assert(ashlar::floor(-0.5f) == -1 && ashlar::fma(2.0f, 3.0f, 4.0f) == 10);

TYPED_TEST(math_of, constant_expressions) {
    using T = TypeParam;
    using constants = constants<T>;
    static constexpr auto at_compile_time = constants::made();
    for (std::size_t i = 0; i < constants::count; ++i) {
        T argument = constants::arguments[i];
        __asm__("" : "+m"(argument));
        const auto now = constants::row_of(argument);
        const auto& then = at_compile_time.rows[i];
        const auto check = [&](const char* name, T a, T b) {
            if (a == b) return;
            EXPECT_LE(ulps(a, static_cast<long double>(b)), fast_math ? 40 : 2)
                << name << "(" << argument << "): " << a << " and " << b;
        };
        check("exp", now.exp, then.exp);
        check("exp_nonpositive", now.exp_nonpositive, then.exp_nonpositive);
        check("exp2_nonpositive", now.exp2_nonpositive, then.exp2_nonpositive);
        check("log", now.log, then.log);
        check("tanh", now.tanh, then.tanh);
        check("erf", now.erf, then.erf);
        check("sigmoid", now.sigmoid, then.sigmoid);
        check("silu", now.silu, then.silu);
        check("gelu", now.gelu, then.gelu);
        check("gelu_tanh", now.gelu_tanh, then.gelu_tanh);
        check("sqrt", now.sqrt, then.sqrt);
        check("rsqrt", now.rsqrt, then.rsqrt);
        check("pow", now.pow, then.pow);
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
