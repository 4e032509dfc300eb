// SPDX-License-Identifier: BSL-1.0
// The mathematical functions against std:: in higher precision, at their special values, and in constant expressions.
#include <ashlar/kernel/math.hpp>
#include <ashlar/kernel/simd.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace ashlar;

constexpr bool fast_math = current_config::fast_math;
/// Without fused multiply-adds every step of a polynomial rounds twice.
#if defined(__FMA__) || defined(__aarch64__)
constexpr double rounding_twice = 0;
#else
constexpr double rounding_twice = 1;
#endif

template <class T>
constexpr T inf = detail::infinity<T>;
template <class T>
constexpr T nan_value = detail::quiet_nan<T>;

template <class T>
bool is_nan_bits(T x) {
    typename detail::float_format<T>::bits bits;
    std::memcpy(&bits, &x, sizeof x);
    return (bits & detail::float_format<T>::magnitude) > detail::float_format<T>::infinity;
}

/// The distance of a finite result from the reference in units of the last place of the reference.
template <class T>
double ulps(T got, long double expected) {
    int exponent = 0;
    (void)std::frexp(expected, &exponent);
    exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
    return static_cast<double>(std::fabs(static_cast<long double>(got) - expected) / std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits));
}

struct worst_case {
    double ulp = 0, at = 0, absolute = 0, absolute_at = 0;
};

/// The largest errors of f on the arguments, in the widest lanes of this build and in the array form.
template <class T, class F, class Reference>
worst_case errors_on(const std::vector<T>& arguments, F f, Reference reference) {
    constexpr std::size_t N = lane_width<T>;
    worst_case worst;
    for (std::size_t i = 0; i + N <= arguments.size(); i += N) {
        T results[N];
        const lanes<T, N> x = lanes<T, N>::load(arguments.data() + i);
        f(x).store(results);
        const T single = f(lanes<T, 1>(arguments[i]))[0];
        for (std::size_t j = 0; j <= N; ++j) {
            const T argument = arguments[j == N ? i : i + j], got = j == N ? single : results[j];
            const long double expected = reference(static_cast<long double>(argument));
            if (expected > static_cast<long double>(std::numeric_limits<T>::max())) continue;
            const double distance = is_nan_bits(got) ? 1e30 : ulps(got, expected);
            const double absolute = static_cast<double>(std::fabs(static_cast<long double>(got) - expected));
            if (distance > worst.ulp) worst.ulp = distance, worst.at = static_cast<double>(argument);
            if (absolute > worst.absolute) worst.absolute = absolute, worst.absolute_at = static_cast<double>(argument);
        }
    }
    return worst;
}

/// Evenly spaced, and the same number at random.
template <class T>
std::vector<T> spread(double low, double high, std::size_t count) {
    std::vector<T> result(2 * count);
    std::mt19937_64 engine(7);
    for (std::size_t i = 0; i < count; ++i) {
        result[i] = static_cast<T>(low + (high - low) * static_cast<double>(i) / static_cast<double>(count - 1));
        result[count + i] = static_cast<T>(low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53);
    }
    return result;
}

/// Positive numbers of all magnitudes between two.
template <class T>
std::vector<T> magnitudes(double low, double high, std::size_t count) {
    std::vector<T> result = spread<T>(std::log2(low), std::log2(high), count);
    for (T& x : result) x = static_cast<T>(std::exp2(static_cast<double>(x)));
    return result;
}

template <class T>
struct name_of {
    static constexpr const char* value = sizeof(T) == 4 ? "float" : "double";
};

template <class T, class F, class Reference>
void expect_ulps(const char* name, const std::vector<T>& arguments, double bound, F f, Reference reference) {
    const worst_case worst = errors_on<T>(arguments, f, reference);
    // Reassociation undoes compensations, and approximate divisions come on top.
    EXPECT_LE(worst.ulp, fast_math ? 4 * bound + 8 : bound) << name << " of " << name_of<T>::value << " at " << worst.at;
    testing::Test::RecordProperty(std::string(name) + "_" + name_of<T>::value, std::to_string(worst.ulp));
}

template <class T, class F, class Reference>
void expect_absolute(const char* name, const std::vector<T>& arguments, double bound, F f, Reference reference) {
    const worst_case worst = errors_on<T>(arguments, f, reference);
    EXPECT_LE(worst.absolute, fast_math ? 4 * bound : bound) << name << " of " << name_of<T>::value << " at " << worst.absolute_at;
}

long double reference_sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }
long double reference_gelu(long double x) { return x * std::erfc(-x * 0.70710678118654752440L) / 2; }
long double reference_gelu_tanh(long double x) { return x * reference_sigmoid(1.59576912160573071176L * (x + 0.044715L * x * x * x)); }

/// The same expression for lanes of any width.
constexpr auto exp_of = [](auto x) { return ashlar::exp(x); };
constexpr auto exp_nonpositive_of = [](auto x) { return ashlar::exp_nonpositive(x); };
constexpr auto exp2_nonpositive_of = [](auto x) { return ashlar::exp2_nonpositive(x); };
constexpr auto log_of = [](auto x) { return ashlar::log(x); };
constexpr auto tanh_of = [](auto x) { return ashlar::tanh(x); };
constexpr auto erf_of = [](auto x) { return ashlar::erf(x); };
constexpr auto sigmoid_of = [](auto x) { return ashlar::sigmoid(x); };
constexpr auto silu_of = [](auto x) { return ashlar::silu(x); };
constexpr auto gelu_of = [](auto x) { return ashlar::gelu(x); };
constexpr auto gelu_tanh_of = [](auto x) { return ashlar::gelu_tanh(x); };
constexpr auto sqrt_of = [](auto x) { return ashlar::sqrt(x); };
constexpr auto rsqrt_of = [](auto x) { return ashlar::rsqrt(x); };
constexpr auto relu_of = [](auto x) { return ashlar::relu(x); };

template <class T>
class math_of : public testing::Test {
protected:
    static constexpr std::size_t count = sizeof(T) == 4 ? 400'000 : 60'000;
    static constexpr bool single = sizeof(T) == 4;
};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(math_of, floats);

TYPED_TEST(math_of, exp) {
    using T = TypeParam;
    const auto reference = [](long double x) { return std::exp(x); };
    const auto reference2 = [](long double x) { return std::exp2(x); };
    // Where the result is normal: under -ffast-math denormals may be flushed.
    const double least = this->single ? -87.3 : -708.3;
    expect_ulps<T>("exp", spread<T>(fast_math ? least : least * 1.18, this->single ? 88.72 : 709.78, this->count), 2, exp_of, reference);
    expect_ulps<T>("exp_near_0", spread<T>(-1, 1, this->count), 2, exp_of, reference);
    expect_ulps<T>("exp_nonpositive", spread<T>(-10, 0, this->count), 3, exp_nonpositive_of, reference);
    expect_ulps<T>("exp_nonpositive_far", spread<T>(least, 0, this->count), 5, exp_nonpositive_of, reference);
    expect_ulps<T>("exp2_nonpositive", spread<T>(this->single ? -126 : -1022, 0, this->count), 3, exp2_nonpositive_of, reference2);
}

TYPED_TEST(math_of, log) {
    using T = TypeParam;
    const auto reference = [](long double x) { return std::log(x); };
    expect_ulps<T>("log", magnitudes<T>(fast_math ? 1e-37 : this->single ? 2e-45 : 1e-307, this->single ? 3e38 : 1e308, this->count), 1, log_of, reference);
    expect_ulps<T>("log_near_1", spread<T>(0.5, 2, this->count), 1, log_of, reference);
}

TYPED_TEST(math_of, tanh_and_erf) {
    using T = TypeParam;
    const auto reference = [](long double x) { return std::tanh(x); };
    const auto reference_erf = [](long double x) { return std::erf(x); };
    expect_ulps<T>("tanh", spread<T>(-25, 25, this->count), 3, tanh_of, reference);
    expect_ulps<T>("tanh_near_0", spread<T>(-0.7, 0.7, this->count), 3, tanh_of, reference);
    expect_ulps<T>("tanh_tiny", magnitudes<T>(1e-30, 1, this->count), 3, tanh_of, reference);
    expect_ulps<T>("erf", spread<T>(-7, 7, this->count), 3, erf_of, reference_erf);
    expect_ulps<T>("erf_near_0", spread<T>(-1.1, 1.1, this->count), 3, erf_of, reference_erf);
    expect_ulps<T>("erf_tiny", magnitudes<T>(1e-30, 1, this->count), 3, erf_of, reference_erf);
}

TYPED_TEST(math_of, activations) {
    using T = TypeParam;
    // Under -ffast-math divisions have approximate forms that lose their corrections among denormals.
    const double least = fast_math ? -60 : this->single ? -87 : -708;
    expect_ulps<T>("sigmoid", spread<T>(least, 40, this->count), 3, sigmoid_of, reference_sigmoid);
    expect_ulps<T>("sigmoid_near_0", spread<T>(-4, 4, this->count), 3, sigmoid_of, reference_sigmoid);
    expect_ulps<T>("silu", spread<T>(least, 40, this->count), 4, silu_of, [](long double x) { return x * reference_sigmoid(x); });
    expect_ulps<T>("gelu", spread<T>(-1, 40, this->count), 4 + rounding_twice, gelu_of, reference_gelu);
    expect_ulps<T>("gelu_near_0", spread<T>(-1, 1, this->count), 4 + rounding_twice, gelu_of, reference_gelu);
    expect_ulps<T>("gelu_tiny", magnitudes<T>(1e-30, 1, this->count), 4 + rounding_twice, gelu_of, reference_gelu);
    expect_ulps<T>("gelu_to_minus_2", spread<T>(-2, -1, this->count), 10, gelu_of, reference_gelu);
    expect_absolute<T>("gelu", spread<T>(-40, 4, this->count), this->single ? 2.5e-7 : 5e-16, gelu_of, reference_gelu);
    expect_ulps<T>("gelu_tanh", spread<T>(-1, 40, this->count), 6, gelu_tanh_of, reference_gelu_tanh);
    expect_absolute<T>("gelu_tanh", spread<T>(-40, 4, this->count), this->single ? 5e-7 : 1e-15, gelu_tanh_of, reference_gelu_tanh);
}

TYPED_TEST(math_of, roots) {
    using T = TypeParam;
    const auto numbers = magnitudes<T>(1e-37, this->single ? 3e38 : 1e300, this->count);
    expect_ulps<T>("sqrt", numbers, fast_math ? 2 : 0.5, sqrt_of, [](long double x) { return std::sqrt(x); });
    expect_ulps<T>("rsqrt", numbers, 2, rsqrt_of, [](long double x) { return 1 / std::sqrt(x); });
}

TYPED_TEST(math_of, pow) {
    using T = TypeParam;
    constexpr std::size_t N = lane_width<T>;
    std::mt19937_64 engine(3);
    const double widest = this->single ? 126 : 1020;
    double worst = 0, at_x = 0, at_y = 0;
    for (std::size_t i = 0; i < this->count; i += N) {
        T x[N], y[N], results[N];
        for (std::size_t j = 0; j < N; ++j) {
            const double u = static_cast<double>(engine() >> 11) * 0x1p-53 * 2 - 1, v = static_cast<double>(engine() >> 11) * 0x1p-53 * 2 - 1;
            // Bases of all magnitudes, and bases near 1 with large exponents; results over the whole range.
            const double log2_x = i % 2 ? u * widest : u * 0.01;
            x[j] = static_cast<T>(std::exp2(log2_x));
            const double actual = static_cast<double>(std::log2(static_cast<long double>(x[j])));
            y[j] = static_cast<T>(actual == 0 ? v : v * widest / actual);
        }
        pow(lanes<T, N>::load(x), lanes<T, N>::load(y)).store(results);
        for (std::size_t j = 0; j < N; ++j) {
            const long double expected = std::pow(static_cast<long double>(x[j]), static_cast<long double>(y[j]));
            if (expected < static_cast<long double>(std::numeric_limits<T>::min()) || expected > static_cast<long double>(std::numeric_limits<T>::max())) continue;
            const double distance = is_nan_bits(results[j]) ? 1e30 : ulps(results[j], expected);
            if (distance > worst) worst = distance, at_x = static_cast<double>(x[j]), at_y = static_cast<double>(y[j]);
        }
    }
    EXPECT_LE(worst, fast_math ? 1000 : 2) << at_x << " to the " << at_y;
    this->RecordProperty(std::string("pow_") + name_of<T>::value, std::to_string(worst));
    // Whole exponents of negative bases.
    for (const T base : {T(-3), T(-0.5), T(-1)})
        for (int n = -9; n <= 9; ++n) {
            const T expected = std::pow(base, static_cast<T>(n)), got = ashlar::pow(base, static_cast<T>(n));
            EXPECT_NEAR(static_cast<double>(got / expected), 1, fast_math ? 1e-5 : this->single ? 1e-6 : 1e-15) << base << " to the " << n;
        }
    EXPECT_EQ(ashlar::pow(T(2), T(10)), T(1024));
    EXPECT_EQ(ashlar::pow(T(1), T(1e30)), T(1));
    EXPECT_EQ(ashlar::pow(T(7), T(0)), T(1));
}

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
    for (const auto f : {+[](lanes<T, 1> x) { return exp_nonpositive(x); }, +[](lanes<T, 1> x) { return exp2_nonpositive(x); }}) {
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
    expect_special<T>("silu", silu_of, -infinity, T(-0.0));
    expect_special<T>("gelu", gelu_of, 0, 0);
    expect_special<T>("gelu", gelu_of, infinity, infinity);
    expect_special<T>("gelu", gelu_of, 100, 100);
    expect_special<T>("gelu_tanh", gelu_tanh_of, infinity, infinity);
    expect_special<T>("gelu_tanh", gelu_tanh_of, -infinity, T(-0.0));
    expect_special<T>("gelu_tanh", gelu_tanh_of, T(1e30), T(1e30));
    EXPECT_EQ(ashlar::gelu(-infinity), 0);
    EXPECT_EQ(ashlar::gelu(T(-100)), 0);
    expect_special<T>("relu", relu_of, -3, 0);
    expect_special<T>("relu", relu_of, 3, 3);
    expect_special<T>("sqrt", sqrt_of, T(-0.0), T(-0.0));
    expect_special<T>("sqrt", sqrt_of, infinity, infinity);
    expect_special<T>("sqrt", sqrt_of, -1, nan);
    expect_special<T>("rsqrt", rsqrt_of, 0, infinity);
    expect_special<T>("rsqrt", rsqrt_of, infinity, 0);
    // NaN of every kind, whatever stands in its low bits.
    for (const typename detail::float_format<T>::bits payload : {0, 1, 2, 255, 511, 4095})
        for (const bool negative : {false, true}) {
            using format = detail::float_format<T>;
            const T odd_nan = __builtin_bit_cast(T, static_cast<typename format::bits>(format::quiet_nan | payload | (negative ? format::sign : 0)));
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
            check("sqrt", sqrt_of);
            check("rsqrt", rsqrt_of);
            check("relu", relu_of);
            check("clamp", [](auto x) { return clamp(x, -1, 1); });
        }
}

TYPED_TEST(math_of, special_powers) {
    using T = TypeParam;
    if (fast_math) GTEST_SKIP() << "infinities and NaN are not promised under -ffast-math";
    const T values[] = {0, T(-0.0), 1, -1, T(0.5), T(-0.5), 2, -2, 3, -3, T(2.5), T(-2.5), 1000, -1001, T(1e30), T(-1e30), inf<T>, -inf<T>, nan_value<T>, std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    constexpr std::size_t N = lane_width<T>;
    for (const T x : values)
        for (const T y : values) {
            const T expected = std::pow(x, y), wide = ashlar::pow(opaque(lanes<T, N>(x)), opaque(lanes<T, N>(y)))[N - 1], scalar = ashlar::pow(x, y);
            for (const T got : {wide, scalar}) {
                if (is_nan_bits(expected)) {
                    EXPECT_TRUE(is_nan_bits(got)) << x << " to the " << y << " is " << got;
                } else if (std::fabs(expected) > std::numeric_limits<T>::max() || expected == 0) {
                    EXPECT_EQ(got, expected) << x << " to the " << y;
                    EXPECT_EQ(std::signbit(got), std::signbit(expected)) << x << " to the " << y;
                } else {
                    EXPECT_LE(ulps(got, static_cast<long double>(expected)), 4) << x << " to the " << y << " is " << got;
                }
            }
        }
}

/// Results of constant expressions.
template <class T>
struct constants {
    static constexpr T arguments[] = {T(-90), T(-20), T(-3.5), T(-1), T(-0.3), T(-1e-5), T(0), T(1e-30), T(0.1), T(0.7), T(1), T(2.5), T(12), T(80)};
    static constexpr std::size_t count = std::size(arguments);
    struct row {
        T exp, exp_nonpositive, exp2_nonpositive, log, tanh, erf, sigmoid, silu, gelu, gelu_tanh, sqrt, rsqrt, pow;
    };
    struct table {
        row rows[count];
    };
    static constexpr row row_of(T x) {
        const T down = x < 0 ? x : -x, up = x < 0 ? -x : x;
        return {ashlar::exp(x), ashlar::exp_nonpositive(down), ashlar::exp2_nonpositive(down), ashlar::log(up + T(1e-20)), ashlar::tanh(x), ashlar::erf(x), ashlar::sigmoid(x), ashlar::silu(x), ashlar::gelu(x), ashlar::gelu_tanh(x), ashlar::sqrt(up), ashlar::rsqrt(up), ashlar::pow(up, T(1.25))};
    }
    static constexpr table made() {
        table result{};
        for (std::size_t i = 0; i < count; ++i) result.rows[i] = row_of(arguments[i]);
        return result;
    }
};

// Special values are constant expressions too.
static_assert(ashlar::exp(inf<float>) == inf<float> && ashlar::exp(-inf<float>) == 0 && ashlar::exp(100.0f) == inf<float> && ashlar::exp(-200.0) == 1.3838965267367376e-87);
static_assert(ashlar::exp(1000.0) == inf<double> && ashlar::exp_nonpositive(-inf<float>) == 0 && ashlar::exp_nonpositive(0.0f) == 1 && ashlar::exp2_nonpositive(-inf<double>) == 0);
static_assert(detail::is_nan(ashlar::exp(lanes<float, 1>(nan_value<float>)))[0] && detail::is_nan(ashlar::exp_nonpositive(lanes<double, 1>(nan_value<double>)))[0]);
static_assert(detail::is_nan(ashlar::log(lanes<float, 1>(-1)))[0] && ashlar::log(0.0f) == -inf<float> && ashlar::log(inf<double>) == inf<double> && ashlar::log(1.0f) == 0);
static_assert(ashlar::tanh(inf<float>) == 1 && ashlar::tanh(-inf<double>) == -1 && ashlar::erf(inf<float>) == 1 && ashlar::erf(-inf<double>) == -1);
static_assert(ashlar::sigmoid(-inf<float>) == 0 && ashlar::sigmoid(inf<float>) == 1 && ashlar::silu(-inf<float>) == 0 && ashlar::gelu(-inf<float>) == 0 && ashlar::gelu(inf<double>) == inf<double>);
static_assert(ashlar::gelu_tanh(-inf<float>) == 0 && ashlar::gelu_tanh(inf<double>) == inf<double> && ashlar::gelu_tanh(1e30f) == 1e30f);
static_assert(ashlar::rsqrt(0.0f) == inf<float> && ashlar::sqrt(inf<float>) == inf<float> && ashlar::rsqrt(inf<float>) == 0 && ashlar::rsqrt(4.0) == 0.5);
static_assert(ashlar::pow(2.0f, 10.0f) == 1024 && ashlar::pow(0.0f, -1.0f) == inf<float> && ashlar::pow(-8.0, 3.0) == -512 && ashlar::pow(inf<float>, -1.0f) == 0 && ashlar::pow(10.0f, 60.0f) == inf<float>);
static_assert(ashlar::relu(-1.0f) == 0 && ashlar::relu(2.0) == 2 && ashlar::clamp(5, 0, 3) == 3 && ashlar::min(1, 2) == 1 && ashlar::max(1.0f, 2.0f) == 2 && ashlar::abs(-3.5) == 3.5 && ashlar::abs(-3) == 3);
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
            EXPECT_LE(ulps(a, static_cast<long double>(b)), fast_math ? 40 : 2) << name << "(" << argument << "): " << a << " and " << b;
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
