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

/// A function of the standard library, in long double.
using exact_function = long double(long double);
template <class T>
[[gnu::noinline]] void expect_elements(const T* x, const T* y, const T* constants, exact_function* exact,
                                       double absolute, double relative, double relative_of_exact, const char* name) {
    for (std::size_t i = 0; i < count; ++i) {
        if (!agrees(y[i], constants[i], absolute, relative))
            ADD_FAILURE() << name << "(" << x[i] << ") at " << i << ": " << y[i] << ", and " << constants[i]
                          << " in a constant expression";
        if (!exact) continue;
        const T wanted = static_cast<T>(exact(static_cast<long double>(x[i])));
        if (!agrees(y[i], wanted, absolute, relative_of_exact) ||
            (wanted == 0 && x[i] == 0 && std::signbit(y[i]) != std::signbit(wanted)))
            ADD_FAILURE() << name << "(" << x[i] << ") is " << y[i] << ", not " << wanted;
    }
}

/// Errors at most so many ulp, or an absolute one, beside constant expressions, and beside `exact`; what is denormal
/// may be 0.
template <class T, auto Function>
void expect_agreement(const char* name, double ulps, double absolute = 0, exact_function* exact = nullptr,
                      double ulps_of_exact = 0) {
    static constexpr vector<T> given = numbers<T>();
    static constexpr vector<T> constant = Function(given);
    constexpr double epsilon = static_cast<double>(limits<T>::epsilon());
    absolute += 2 * static_cast<double>(limits<T>::min());
    for (std::size_t shift = 0; shift < count; shift += shift < 20 ? 1 : 9) {
        vector<T> x, wanted;
        for (std::size_t i = 0; i < count; ++i) {
            x(i) = given((i + shift) % count);
            wanted(i) = constant((i + shift) % count);
        }
        asm volatile("" ::"r"(&x) : "memory");
        const vector<T> y = Function(x);
        expect_elements(x.data(), y.data(), wanted.data(), exact, absolute, ulps * epsilon, ulps_of_exact * epsilon,
                        name);
    }
}

class magnitudes_of_elements : public testing::Test {
protected:
    void SetUp() override {
        if (current_config::fast_math) GTEST_SKIP() << "infinities and NaN are not promised under -ffast-math";
    }
};

long double softplus_of(long double v) { return v > 0 ? v + std::log1p(std::exp(-v)) : std::log1p(std::exp(v)); }
long double hard_sigmoid_of(long double v) { return v != v ? v : std::fmin(std::fmax(v + 3, 0.0L), 6.0L) / 6; }

/// Functions with an approximation for each type.
template <class T>
void approximations() {
    constexpr double gelu_error = sizeof(T) == 4 ? 6e-7 : 1e-15;
    expect_agreement<T, [](const auto& x) { return exp(x); }>("exp", 3);
    expect_agreement<T, [](const auto& x) { return log(x); }>("log", 3);
    expect_agreement<T, [](const auto& x) { return sqrt(x); }>("sqrt", 0.5);
    expect_agreement<T, [](const auto& x) { return rsqrt(x); }>("rsqrt", 2);
    expect_agreement<T, [](const auto& x) { return tanh(x); }>("tanh", 5);
    expect_agreement<T, [](const auto& x) { return erf(x); }>("erf", 4);
    expect_agreement<T, [](const auto& x) { return sin(x); }>("sin", 5, 0, std::sin, 2.5);
    expect_agreement<T, [](const auto& x) { return cos(x); }>("cos", 5, 0, std::cos, 2.5);
    expect_agreement<T, [](const auto& x) { return pow(x, x); }>("pow(x, x)", 4);
    expect_agreement<T, [](const auto& x) { return softplus(x); }>("softplus", 8, 0, softplus_of, 3);
    expect_agreement<T, [](const auto& x) { return elu(x); }>(
        "elu", 9, 0, [](long double v) { return v > 0 ? v : std::expm1(v); }, 5);
    expect_agreement<T, [](const auto& x) { return mish(x); }>(
        "mish", 9, 0, [](long double v) { return v * std::tanh(softplus_of(v)); }, 5);
    expect_agreement<T, [](const auto& x) { return gelu_tanh(x); }>("gelu_tanh", 7, gelu_error);
    expect_agreement<T, [](const auto& x) { return silu(x); }>("silu", 7);
    expect_agreement<T, [](const auto& x) { return gelu(x); }>("gelu", 4, gelu_error);
    expect_agreement<T, [](const auto& x) { return silu(x, fast); }>("silu fast", 2.4e-4 / limits<T>::epsilon());
    expect_agreement<T, [](const auto& x) { return gelu(x, fast); }>("gelu fast", 4, 1e-4);
    expect_agreement<T, [](const auto& x) { return round(x); }>("round", 0, 0, std::nearbyint);
}
TEST_F(magnitudes_of_elements, approximations_in_floats) { approximations<float>(); }
TEST_F(magnitudes_of_elements, approximations_in_doubles) { approximations<double>(); }

template <auto Function>
void expect_floats(const char* name, double ulps, double absolute = 0, exact_function* exact = nullptr,
                   double ulps_of_exact = 0) {
    expect_agreement<float, Function>(name, ulps, absolute, exact, ulps_of_exact);
}

TEST_F(magnitudes_of_elements, powers_and_activations) {
    using real = long double;
    expect_floats<[](const auto& x) { return pow(x, 2.5f); }>("pow(x, 2.5)", 4);
    expect_floats<[](const auto& x) { return pow(x, -3.0f); }>("pow(x, -3)", 4);
    expect_floats<[](const auto& x) { return pow(10.0f, x); }>("pow(10, x)", 4);
    expect_floats<[](const auto& x) { return sigmoid(x); }>("sigmoid", 5);
    expect_floats<[](const auto& x) { return gelu_tanh(x, fast); }>("gelu_tanh fast", 2.4e-4 / limits<float>::epsilon(),
                                                                    1e-4);
    expect_floats<[](const auto& x) { return leaky_relu(x); }>(
        "leaky_relu", 0, 0, [](real v) { return v > 0 ? v : v * 0.01f; }, 0.5);
    expect_floats<[](const auto& x) { return elu(x, 0.5); }>(
        "elu(x, 0.5)", 9, 0, [](real v) { return v > 0 ? v : 0.5L * std::expm1(v); }, 5);
    expect_floats<[](const auto& x) { return hard_sigmoid(x); }>("hard_sigmoid", 1, 0, hard_sigmoid_of, 1);
    expect_floats<[](const auto& x) { return hard_swish(x); }>(
        "hard_swish", 2, 0, [](real v) { return v * hard_sigmoid_of(v); }, 2);
}

TEST_F(magnitudes_of_elements, whole_numbers_and_choices) {
    expect_floats<[](const auto& x) { return floor(x); }>("floor", 0, 0, std::floor);
    expect_floats<[](const auto& x) { return ceil(x); }>("ceil", 0, 0, std::ceil);
    expect_floats<[](const auto& x) { return where(isnan(x), -7.0f, x); }>("where(isnan(x), -7, x)", 0);
    expect_floats<[](const auto& x) { return relu(x); }>("relu", 0);
    expect_floats<[](const auto& x) { return abs(x); }>("abs", 0);
    expect_floats<[](const auto& x) { return max(x, limits<float>::quiet_NaN()); }>("max(x, NaN)", 0);
    expect_floats<[](const auto& x) { return min(0.5f, x); }>("min(0.5, x)", 0);
    expect_floats<[](const auto& x) { return max(x, -x); }>("max(x, -x)", 0);
    expect_floats<[](const auto& x) { return clamp(x, -2.0f, 7.0f); }>("clamp(x, -2, 7)", 0);
    expect_floats<[](const auto& x) { return clamp(x, limits<float>::quiet_NaN(), 7.0f); }>("clamp(x, NaN, 7)", 0);
    expect_floats<[](const auto& x) { return clamp(abs(x), x, -x); }>("clamp(abs(x), x, -x)", 0);
}

/// As PyTorch's clamp, maximum and minimum, and NumPy's maximum and minimum: NaN wherever one of the arguments is, and
/// the upper bound where the bounds cross.
template <class T>
void bounds() {
    constexpr T infinity = limits<T>::infinity(), nan = limits<T>::quiet_NaN();
    constexpr T all[] = {nan, -infinity, -5, 0, 1, infinity};
    const auto expect = [](const auto& found, T wanted) {
        for (const T got : found) EXPECT_TRUE(agrees(got, wanted, 0, 0)) << got << ", not " << wanted;
    };
    for (const T v : all)
        for (const T low : all)
            for (const T high : all) {
                const auto x = full<T, 21>(v), lowest = full<T, 21>(low), highest = full<T, 21>(high);
                const T wanted = v != v || low != low || high != high ? nan : std::fmin(high, std::fmax(low, v));
                expect(eval(clamp(x, low, high)), wanted);
                expect(eval(clamp(x, lowest, highest)), wanted);
                expect(eval(max(x, lowest)), v != v || low != low ? nan : std::fmax(low, v));
                expect(eval(min(lowest, x)), v != v || low != low ? nan : std::fmin(low, v));
            }
}
TEST_F(magnitudes_of_elements, bounds_of_floats) { bounds<float>(); }
TEST_F(magnitudes_of_elements, bounds_of_doubles) { bounds<double>(); }

/// What PyTorch's functions give: x times a factor that vanishes.
TEST_F(magnitudes_of_elements, far_below) {
    const auto check = [](auto f) {
        const tensor<float, 4> y =
            f(tensor<float, 4>{-limits<float>::infinity(), limits<float>::lowest(), -1e30f, -1000});
        EXPECT_TRUE(std::isnan(y(0)));
        for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(y(i), 0, 1e-30);
    };
    check([](const auto& x) { return silu(x); });
    check([](const auto& x) { return silu(x, fast); });
    check([](const auto& x) { return gelu(x); });
    check([](const auto& x) { return gelu(x, fast); });
    check([](const auto& x) { return gelu_tanh(x); });
    check([](const auto& x) { return gelu_tanh(x, fast); });
}

}  // namespace
