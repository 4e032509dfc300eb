// SPDX-License-Identifier: BSL-1.0
// Elementwise functions of numbers of all magnitudes, infinities and NaN: by kernels, each number in every lane and in
// tails, against constant expressions.
#include <cmath>
#include <cstddef>
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

template <class T>
using limits = std::numeric_limits<T>;

constexpr double magnitudes[] = {0,   1e-45, 1e-40, 1e-38, 2e-38, 1e-30,  1e-20, 1e-19, 1e-10, 1e-5, 1e-3, 0.1,
                                 0.5, 1,     1.5,   2,     3,     5,      5.3,   8,     8.6,   9.3,  10,   17,
                                 20,  44,    63.9,  65,    87.2,  88.5,   89,    103,   104,   150,  708,  710,
                                 746, 1e4,   1e9,   1e10,  1e18,  1.9e19, 1e20,  1e30,  1e37,  3e38};
constexpr std::size_t count = 2 * (std::size(magnitudes) + 3) + 1;
template <class T>
using vector = tensor<T, count>;

template <class T>
constexpr vector<T> numbers() {
    vector<T> x{};
    std::size_t n = 0;
    const auto put = [&](T v) {
        x(n++) = v;
        x(n++) = -v;
    };
    for (const double v : magnitudes) put(static_cast<T>(v));
    for (const T v : {limits<T>::denorm_min(), limits<T>::max(), limits<T>::infinity()}) put(v);
    x(n++) = limits<T>::quiet_NaN();
    return x;
}

[[gnu::noinline]] bool agrees(double got, double wanted, double absolute, double relative) {
    if (std::isnan(got) || std::isnan(wanted)) return std::isnan(got) && std::isnan(wanted);
    if (got == wanted) return true;
    if (std::isinf(got) || std::isinf(wanted)) return false;
    return std::abs(got - wanted) <= absolute + relative * std::abs(wanted);
}

/// Errors at most so many ulp, or an absolute one; what is denormal may be 0.
template <class T, auto Function>
void expect_agreement(const char* name, double ulps, double absolute = 0) {
    static constexpr vector<T> given = numbers<T>();
    static constexpr vector<T> constant = Function(given);
    absolute += 2 * static_cast<double>(limits<T>::min());
    for (std::size_t shift = 0; shift < count; shift += shift < 20 ? 1 : 9) {
        vector<T> x;
        for (std::size_t i = 0; i < count; ++i) x(i) = given((i + shift) % count);
        asm volatile("" ::"r"(&x) : "memory");
        const vector<T> y = Function(x);
        for (std::size_t i = 0; i < count; ++i)
            if (const T wanted = constant((i + shift) % count);
                !agrees(y(i), wanted, absolute, ulps * static_cast<double>(limits<T>::epsilon())))
                ADD_FAILURE() << name << "(" << x(i) << ") at " << i << ": " << y(i) << ", and " << wanted
                              << " in a constant expression";
    }
}

template <class T>
class magnitudes_of_elements : public testing::Test {
protected:
    void SetUp() override {
        if (current_config::fast_math) GTEST_SKIP() << "infinities and NaN are not promised under -ffast-math";
    }
    static constexpr double gelu_error = sizeof(T) == 4 ? 6e-7 : 1e-15;
};
using elements = testing::Types<float, double>;
TYPED_TEST_SUITE(magnitudes_of_elements, elements);

TYPED_TEST(magnitudes_of_elements, exponentials_and_roots) {
    using T = TypeParam;
    expect_agreement<T, [](const auto& x) { return exp(x); }>("exp", 3);
    expect_agreement<T, [](const auto& x) { return log(x); }>("log", 3);
    expect_agreement<T, [](const auto& x) { return sqrt(x); }>("sqrt", 0.5);
    expect_agreement<T, [](const auto& x) { return rsqrt(x); }>("rsqrt", 2);
    expect_agreement<T, [](const auto& x) { return tanh(x); }>("tanh", 5);
    expect_agreement<T, [](const auto& x) { return erf(x); }>("erf", 4);
}

TYPED_TEST(magnitudes_of_elements, powers) {
    using T = TypeParam;
    expect_agreement<T, [](const auto& x) { return pow(x, T(2.5)); }>("pow(x, 2.5)", 4);
    expect_agreement<T, [](const auto& x) { return pow(x, T(-3)); }>("pow(x, -3)", 4);
    expect_agreement<T, [](const auto& x) { return pow(T(10), x); }>("pow(10, x)", 4);
    expect_agreement<T, [](const auto& x) { return pow(x, x); }>("pow(x, x)", 4);
}

TYPED_TEST(magnitudes_of_elements, activations) {
    using T = TypeParam;
    expect_agreement<T, [](const auto& x) { return sigmoid(x); }>("sigmoid", 5);
    expect_agreement<T, [](const auto& x) { return silu(x); }>("silu", 7);
    expect_agreement<T, [](const auto& x) { return gelu(x); }>("gelu", 4, this->gelu_error);
    expect_agreement<T, [](const auto& x) { return gelu_tanh(x); }>("gelu_tanh", 7, this->gelu_error);
    expect_agreement<T, [](const auto& x) { return silu(x, fast); }>("silu fast", 2.4e-4 / limits<T>::epsilon());
    expect_agreement<T, [](const auto& x) { return gelu(x, fast); }>("gelu fast", 4, 1e-4);
    expect_agreement<T, [](const auto& x) { return gelu_tanh(x, fast); }>("gelu_tanh fast",
                                                                          2.4e-4 / limits<T>::epsilon(), 1e-4);
}

TYPED_TEST(magnitudes_of_elements, angles) {
    using T = TypeParam;
    expect_agreement<T, [](const auto& x) { return sin(x); }>("sin", 5);
    expect_agreement<T, [](const auto& x) { return cos(x); }>("cos", 5);
}

TYPED_TEST(magnitudes_of_elements, activations_of_other_functions) {
    using T = TypeParam;
    expect_agreement<T, [](const auto& x) { return softplus(x); }>("softplus", 8);
    expect_agreement<T, [](const auto& x) { return leaky_relu(x); }>("leaky_relu", 0);
    expect_agreement<T, [](const auto& x) { return leaky_relu(x, 0.25); }>("leaky_relu(x, 0.25)", 0);
    expect_agreement<T, [](const auto& x) { return elu(x); }>("elu", 9);
    expect_agreement<T, [](const auto& x) { return elu(x, 0.5); }>("elu(x, 0.5)", 9);
    expect_agreement<T, [](const auto& x) { return hard_sigmoid(x); }>("hard_sigmoid", 1);
    expect_agreement<T, [](const auto& x) { return hard_swish(x); }>("hard_swish", 2);
    expect_agreement<T, [](const auto& x) { return mish(x); }>("mish", 9);
}

TYPED_TEST(magnitudes_of_elements, whole_numbers) {
    using T = TypeParam;
    expect_agreement<T, [](const auto& x) { return floor(x); }>("floor", 0);
    expect_agreement<T, [](const auto& x) { return ceil(x); }>("ceil", 0);
    expect_agreement<T, [](const auto& x) { return round(x); }>("round", 0);
    expect_agreement<T, [](const auto& x) { return where(isnan(x), T(-7), x); }>("where(isnan(x), -7, x)", 0);
    expect_agreement<T, [](const auto& x) { return cast<T>(isnan(x)); }>("isnan", 0);
}

/// Against the standard library, whose functions of whole numbers are exact; round as std::nearbyint.
TYPED_TEST(magnitudes_of_elements, agree_with_the_standard_library) {
    using T = TypeParam;
    const auto expect = [](const char* name, const auto& f, auto reference, double ulps, double absolute = 0) {
        static constexpr vector<T> all = numbers<T>();
        const vector<T> x = all, y = f(x);
        for (std::size_t i = 0; i < count; ++i) {
            const T wanted = static_cast<T>(reference(static_cast<long double>(x(i))));
            EXPECT_TRUE(agrees(y(i), wanted, absolute + 2 * static_cast<double>(limits<T>::min()),
                               ulps * static_cast<double>(limits<T>::epsilon())))
                << name << "(" << x(i) << ") is " << y(i) << ", not " << wanted;
            if (wanted == 0 && x(i) == 0) {
                EXPECT_EQ(std::signbit(y(i)), std::signbit(wanted)) << name << " of " << x(i);
            }
        }
    };
    using real = long double;
    const auto softplus_of = [](real v) { return v > 0 ? v + std::log1p(std::exp(-v)) : std::log1p(std::exp(v)); };
    expect("sin", [](auto& x) { return sin(x); }, [](real v) { return std::sin(v); }, 2.5);
    expect("cos", [](auto& x) { return cos(x); }, [](real v) { return std::cos(v); }, 2.5);
    expect("floor", [](auto& x) { return floor(x); }, [](real v) { return std::floor(v); }, 0);
    expect("ceil", [](auto& x) { return ceil(x); }, [](real v) { return std::ceil(v); }, 0);
    expect("round", [](auto& x) { return round(x); }, [](real v) { return std::nearbyint(v); }, 0);
    expect("softplus", [](auto& x) { return softplus(x); }, softplus_of, 3);
    expect("mish", [](auto& x) { return mish(x); }, [&](real v) { return v * std::tanh(softplus_of(v)); }, 5);
    expect("elu", [](auto& x) { return elu(x); }, [](real v) { return v > 0 ? v : std::expm1(v); }, 5);
    expect("elu, 2", [](auto& x) { return elu(x, 2); }, [](real v) { return v > 0 ? v : 2 * std::expm1(v); }, 5);
    expect("leaky_relu", [](auto& x) { return leaky_relu(x); }, [](real v) { return v > 0 ? v : v * T(0.01); }, 0.5);
    const auto hard = [](real v) { return v != v ? v : std::fmin(std::fmax(v + 3, real(0)), real(6)) / 6; };
    expect("hard_sigmoid", [](auto& x) { return hard_sigmoid(x); }, hard, 1);
    expect("hard_swish", [](auto& x) { return hard_swish(x); }, [&](real v) { return v * hard(v); }, 2);
}

TYPED_TEST(magnitudes_of_elements, choices) {
    using T = TypeParam;
    expect_agreement<T, [](const auto& x) { return relu(x); }>("relu", 0);
    expect_agreement<T, [](const auto& x) { return abs(x); }>("abs", 0);
    expect_agreement<T, [](const auto& x) { return max(x, T(0.5)); }>("max(x, 0.5)", 0);
    expect_agreement<T, [](const auto& x) { return min(T(0.5), x); }>("min(0.5, x)", 0);
    expect_agreement<T, [](const auto& x) { return max(x, limits<T>::quiet_NaN()); }>("max(x, NaN)", 0);
    expect_agreement<T, [](const auto& x) { return min(limits<T>::quiet_NaN(), x); }>("min(NaN, x)", 0);
    expect_agreement<T, [](const auto& x) { return max(x, -x); }>("max(x, -x)", 0);
    expect_agreement<T, [](const auto& x) { return clamp(x, T(-2), T(7)); }>("clamp(x, -2, 7)", 0);
    expect_agreement<T, [](const auto& x) { return clamp(x, T(7), T(-2)); }>("clamp(x, 7, -2)", 0);
    expect_agreement<T, [](const auto& x) { return clamp(x, limits<T>::quiet_NaN(), T(7)); }>("clamp(x, NaN, 7)", 0);
    expect_agreement<T, [](const auto& x) { return clamp(x, T(-2), limits<T>::quiet_NaN()); }>("clamp(x, -2, NaN)", 0);
    expect_agreement<T, [](const auto& x) { return clamp(abs(x), x, -x); }>("clamp(abs(x), x, -x)", 0);
}

/// As PyTorch's clamp, maximum and minimum, and NumPy's maximum and minimum: NaN wherever one of the arguments is, and
/// the upper bound where the bounds cross.
TYPED_TEST(magnitudes_of_elements, bounds) {
    using T = TypeParam;
    const T infinity = limits<T>::infinity(), nan = limits<T>::quiet_NaN();
    const T all[] = {nan, -infinity, -5, 0, 1, infinity};
    for (const T v : all)
        for (const T low : all)
            for (const T high : all) {
                const auto x = full<T, 21>(v), lowest = full<T, 21>(low), highest = full<T, 21>(high);
                const tensor<T, 21> numbers = clamp(x, low, high), tensors = clamp(x, lowest, highest),
                                    greater = max(x, lowest), less = min(lowest, x);
                const bool bad = v != v || low != low || high != high;
                const T wanted = bad ? nan : std::fmin(high, std::fmax(low, v));
                for (std::size_t i = 0; i < 21; ++i) {
                    EXPECT_TRUE(agrees(numbers(i), wanted, 0, 0)) << v << " in [" << low << ", " << high << "]";
                    EXPECT_TRUE(agrees(tensors(i), wanted, 0, 0)) << v << " in [" << low << ", " << high << "]";
                    EXPECT_TRUE(agrees(greater(i), v != v || low != low ? nan : std::fmax(low, v), 0, 0));
                    EXPECT_TRUE(agrees(less(i), v != v || low != low ? nan : std::fmin(low, v), 0, 0));
                }
            }
}

/// What PyTorch's functions give: x times a factor that vanishes.
TYPED_TEST(magnitudes_of_elements, far_below) {
    using T = TypeParam;
    const tensor<T, 4> x{-limits<T>::infinity(), limits<T>::lowest(), T(-1e30), -1000};
    const auto check = [](const tensor<T, 4>& y) {
        EXPECT_TRUE(std::isnan(y(0)));
        for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(y(i), 0, 1e-30);
    };
    check(silu(x));
    check(silu(x, fast));
    check(gelu(x));
    check(gelu(x, fast));
    check(gelu_tanh(x));
    check(gelu_tanh(x, fast));
}

}  // namespace
