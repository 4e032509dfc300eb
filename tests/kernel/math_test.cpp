// SPDX-License-Identifier: BSL-1.0
// The mathematical functions against std:: in higher precision.
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/math.hpp>
#include <ashlar/kernel/simd.hpp>

#include "kernel/math_errors.hpp"
#include "support/machines.hpp"

namespace {

using namespace ashlar;
using namespace support;

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

/// What a reference errs by itself where long double is no wider than T.
template <class T>
inline constexpr double reference_error =
    std::numeric_limits<T>::digits < std::numeric_limits<long double>::digits ? 0 : 1;

template <class T, class F, class Reference>
void expect_ulps(const char* name, const std::vector<T>& arguments, double bound, F f, Reference reference) {
    const worst_case worst = errors_on<T>(arguments, f, reference);
    // Reassociation undoes compensations, and approximate divisions come on top.
    EXPECT_LE(worst.ulp, (fast_math ? 4 * bound + 8 : bound) + reference_error<T>)
        << name << " of " << name_of<T>::value << " at " << worst.at;
    testing::Test::RecordProperty(std::string(name) + "_" + name_of<T>::value, std::to_string(worst.ulp));
}

template <class T, class F, class Reference>
void expect_absolute(const char* name, const std::vector<T>& arguments, double bound, F f, Reference reference) {
    const worst_case worst = errors_on<T>(arguments, f, reference);
    EXPECT_LE(worst.absolute, fast_math ? 4 * bound : bound)
        << name << " of " << name_of<T>::value << " at " << worst.absolute_at;
}

long double reference_sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }
long double reference_gelu(long double x) { return x * std::erfc(-x * 0.70710678118654752440L) / 2; }
long double reference_gelu_tanh(long double x) {
    return x * reference_sigmoid(1.59576912160573071176L * (x + 0.044715L * x * x * x));
}

template <class T>
class math_of : public testing::Test {
protected:
    std::size_t count = argument_count<T>();
    static constexpr bool single = sizeof(T) == 4;
};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(math_of, floats);

TYPED_TEST(math_of, exp) {
    using T = TypeParam;
    const auto reference = [](long double x) { return std::exp(x); };
    const auto reference2 = [](long double x) { return std::exp2(x); };
    // Where the result is normal, if denormals are flushed.
    const double least = this->single ? -87.3 : -708.3;
    expect_ulps<T>("exp",
                   spread<T>(flushes_subnormals<T> ? least : least * 1.18, this->single ? 88.72 : 709.78, this->count),
                   2, exp_of, reference);
    expect_ulps<T>("exp_near_0", spread<T>(-1, 1, this->count), 2, exp_of, reference);
    expect_ulps<T>("exp_nonpositive", spread<T>(-10, 0, this->count), 2.5, exp_nonpositive_of, reference);
    expect_ulps<T>("exp_nonpositive_far", spread<T>(least, 0, this->count), 2.5, exp_nonpositive_of, reference);
    expect_ulps<T>("exp_beside_one", spread<T>(-10, 0, this->count), 2.5, exp_beside_one_of, reference);
    expect_ulps<T>("exp_beside_one_far", spread<T>(least, 0, this->count), 6, exp_beside_one_of, reference);
    expect_ulps<T>("exp2_nonpositive", spread<T>(this->single ? -126 : -1022, 0, this->count), 2.5, exp2_nonpositive_of,
                   reference2);
    // The forms of a softmax for scores that a mask made minus infinity, and the coarse forms.
    using detail::exp_arguments, detail::exp_form;
    const auto any = [](auto x) { return detail::exp2_nonpositive_as<exp_form::near_one, exp_arguments::any>(x); };
    expect_ulps<T>("exp2_of_any", spread<T>(this->single ? -126 : -1022, 0, this->count), 2.5, any, reference2);
}

/// A lane of a microcontroller that multiplies and adds floats in one instruction.
TEST(math_of_one_lane, exp_by_a_table) {
#if defined(__clang__) && !defined(__FP_FAST_FMAF)
    if (fast_math) GTEST_SKIP() << "clang makes two operations of __builtin_fmaf here, which such a core has one for";
#endif
    using lane = lanes<float, 1, machines::cortex_m4f>;
    const auto worst = [](const std::vector<float>& arguments, auto f, auto reference) {
        double most = 0;
        for (const float x : arguments) most = std::max(most, ulps(f(x), reference(static_cast<long double>(x))));
        return most;
    };
    const auto e = [](long double x) { return std::exp(x); };
    const auto two = [](long double x) { return std::exp2(x); };
    using detail::exp_form;
    const auto precise = +[](float x) { return detail::exp_nonpositive_as<exp_form::precise>(lane(x))[0]; };
    const auto near_one = +[](float x) { return detail::exp_nonpositive_as<exp_form::near_one>(lane(x))[0]; };
    const auto coarse = +[](float x) { return detail::exp_nonpositive_as<exp_form::coarse>(lane(x))[0]; };
    const auto power = +[](float x) { return detail::exp2_nonpositive_as<exp_form::near_one>(lane(x))[0]; };
    const auto coarse_power = +[](float x) { return detail::exp2_nonpositive_as<exp_form::coarse>(lane(x))[0]; };
    static_assert(detail::looks_up_scalars<float, 1, machines::cortex_m4f>);
    static_assert(!detail::looks_up_scalars<float, 1, machines::scalar> &&
                  !detail::looks_up_scalars<double, 1, machines::cortex_m7>);
    const std::size_t count = argument_count<float>();
    // Programs of -ffast-math take denormal numbers for zero; clang splits what is to be one operation where there is
    // none.
    const double lowest = fast_math ? -80 : -87.3, bound = fast_math ? 18 + 100 * rounding_twice : 2.5;
    const auto near = spread<float>(-10, 0, count), all = spread<float>(lowest, 0, count),
               powers = spread<float>(fast_math ? -115 : -126, 0, count);
    EXPECT_LE(worst(near, precise, e), bound);
    EXPECT_LE(worst(all, precise, e), bound);
    EXPECT_LE(worst(near, near_one, e), bound);
    EXPECT_LE(worst(all, near_one, e), fast_math ? 32 + 100 * rounding_twice : 6);
    EXPECT_LE(worst(all, coarse, e) / (1 << 24), 1.2e-4);
    EXPECT_LE(worst(powers, power, two), bound);
    EXPECT_LE(worst(powers, coarse_power, two) / (1 << 24), 1.2e-4);
    for (const auto f : {precise, power, coarse}) {
        EXPECT_EQ(f(0.0f), 1.0f);
        EXPECT_EQ(f(-0.0f), 1.0f);
        EXPECT_EQ(f(-inf<float>), 0.0f);
        EXPECT_EQ(f(-127.0f), 0.0f);
        EXPECT_TRUE(is_nan_bits(f(nan_value<float>)));
    }
}

TYPED_TEST(math_of, log) {
    using T = TypeParam;
    const auto reference = [](long double x) { return std::log(x); };
    expect_ulps<T>("log",
                   magnitudes<T>(flushes_subnormals<T> ? 1e-37
                                 : this->single        ? 2e-45
                                                       : 1e-307,
                                 this->single ? 3e38 : 1e308, this->count),
                   1, log_of, reference);
    expect_ulps<T>("log_near_1", spread<T>(0.5, 2, this->count), 1, log_of, reference);
}

TYPED_TEST(math_of, tanh_and_erf) {
    using T = TypeParam;
    const auto reference = [](long double x) { return std::tanh(x); };
    const auto reference_erf = [](long double x) { return std::erf(x); };
    expect_ulps<T>("tanh", spread<T>(-25, 25, this->count), 2.5, tanh_of, reference);
    expect_ulps<T>("tanh_near_0", spread<T>(-0.7, 0.7, this->count), 2.5, tanh_of, reference);
    expect_ulps<T>("tanh_tiny", magnitudes<T>(1e-30, 1, this->count), 2.5, tanh_of, reference);
    expect_ulps<T>("erf", spread<T>(-7, 7, this->count), 1.5 + 0.1 * rounding_twice, erf_of, reference_erf);
    expect_ulps<T>("erf_near_0", spread<T>(-1.1, 1.1, this->count), 1.5 + 0.1 * rounding_twice, erf_of, reference_erf);
    expect_ulps<T>("erf_tiny", magnitudes<T>(1e-30, 1, this->count), 1.5 + 0.1 * rounding_twice, erf_of, reference_erf);
}

TYPED_TEST(math_of, activations) {
    using T = TypeParam;
    // Under -ffast-math divisions have approximate forms that lose their corrections among denormals.
    const double least = fast_math ? -60 : this->single ? -87 : -708;
    expect_ulps<T>("sigmoid", spread<T>(least, 40, this->count), 2.5, sigmoid_of, reference_sigmoid);
    expect_ulps<T>("sigmoid_near_0", spread<T>(-4, 4, this->count), 2.5, sigmoid_of, reference_sigmoid);
    expect_ulps<T>("silu", spread<T>(least, 40, this->count), 3.5, silu_of,
                   [](long double x) { return x * reference_sigmoid(x); });
    const double gelu_bound = this->single ? 32 + 8 * rounding_twice : 4 + rounding_twice;
    expect_ulps<T>("gelu", spread<T>(-1, 40, this->count), gelu_bound, gelu_of, reference_gelu);
    expect_ulps<T>("gelu_near_0", spread<T>(-1, 1, this->count), gelu_bound, gelu_of, reference_gelu);
    expect_ulps<T>("gelu_tiny", magnitudes<T>(1e-30, 1, this->count), gelu_bound, gelu_of, reference_gelu);
    expect_ulps<T>("gelu_to_minus_2", spread<T>(-2, -1, this->count), this->single ? 64 : 10, gelu_of, reference_gelu);
    expect_absolute<T>("gelu", spread<T>(-40, 4, this->count), this->single ? 3e-7 : 5e-16, gelu_of, reference_gelu);
    expect_ulps<T>("gelu_tanh", spread<T>(-1, 40, this->count), 3.5, gelu_tanh_of, reference_gelu_tanh);
    expect_absolute<T>("gelu_tanh", spread<T>(-40, 4, this->count), this->single ? 5e-7 : 1e-15, gelu_tanh_of,
                       reference_gelu_tanh);
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
            const double u = static_cast<double>(engine() >> 11) * 0x1p-53 * 2 - 1,
                         v = static_cast<double>(engine() >> 11) * 0x1p-53 * 2 - 1;
            // Bases of all magnitudes, and bases near 1 with large exponents; results over the whole range.
            const double log2_x = i % 2 ? u * widest : u * 0.01;
            x[j] = static_cast<T>(std::exp2(log2_x));
            const double actual = static_cast<double>(std::log2(static_cast<long double>(x[j])));
            y[j] = static_cast<T>(actual == 0 ? v : v * widest / actual);
        }
        pow(lanes<T, N>::load(x), lanes<T, N>::load(y)).store(results);
        for (std::size_t j = 0; j < N; ++j) {
            const long double expected = std::pow(static_cast<long double>(x[j]), static_cast<long double>(y[j]));
            if (expected < static_cast<long double>(std::numeric_limits<T>::min()) ||
                expected > static_cast<long double>(std::numeric_limits<T>::max()))
                continue;
            const double distance = is_nan_bits(results[j]) ? 1e30 : ulps(results[j], expected);
            if (distance > worst) worst = distance, at_x = static_cast<double>(x[j]), at_y = static_cast<double>(y[j]);
        }
    }
    EXPECT_LE(worst, (fast_math ? 1000 : 2) + reference_error<T>) << at_x << " to the " << at_y;
    this->RecordProperty(std::string("pow_") + name_of<T>::value, std::to_string(worst));
    // Whole exponents of negative bases.
    for (const T base : {T(-3), T(-0.5), T(-1)})
        for (int n = -9; n <= 9; ++n) {
            const T expected = std::pow(base, static_cast<T>(n)), got = ashlar::pow(base, static_cast<T>(n));
            EXPECT_NEAR(static_cast<double>(got / expected), 1,
                        fast_math      ? 1e-5
                        : this->single ? 1e-6
                                       : 1e-15)
                << base << " to the " << n;
        }
    EXPECT_EQ(ashlar::pow(T(2), T(10)), T(1024));
    EXPECT_EQ(ashlar::pow(T(1), T(1e30)), T(1));
    EXPECT_EQ(ashlar::pow(T(7), T(0)), T(1));
}

}  // namespace
