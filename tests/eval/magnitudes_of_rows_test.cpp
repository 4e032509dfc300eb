// SPDX-License-Identifier: BSL-1.0
// Functions of rows over all magnitudes: kernels against constant expressions, and against what is right.
#include <cmath>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

constexpr std::size_t rows = 5, columns = 37;
template <class T>
using matrix = tensor<T, rows, columns>;

template <class T>
constexpr T power_of_ten(int exponent) {
    double power = 1;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) power *= 10;
    return static_cast<T>(exponent < 0 ? 1 / power : power);
}

/// Of both signs; all equal; nearly equal; negative but for one; alternating.
template <class T>
constexpr matrix<T> numbers_at(int exponent) {
    const T s = power_of_ten<T>(exponent);
    matrix<T> x{};
    unsigned seed = 7;
    for (std::size_t i = 0; i < columns; ++i) {
        seed = seed * 1664525u + 1013904223u;
        const T r = static_cast<T>(static_cast<double>(seed >> 8) / 16777216.0);
        x(0, i) = (2 * r - 1) * s;
        x(1, i) = s;
        x(2, i) = -s * (1 + r / 1000);
        x(3, i) = i == columns / 2 ? s / 2 : -s * (1 - r / 8);
        x(4, i) = i % 2 ? s : -s;
    }
    return x;
}

/// Hides values from the optimiser.
template <class Tensor>
Tensor hidden(Tensor x) {
    asm volatile("" ::"r"(&x) : "memory");
    return x;
}

[[gnu::noinline]] void expect_close(double got, double wanted, double units, const char* what, int exponent,
                                    std::size_t row) {
    if (got == wanted || (std::isnan(got) && std::isnan(wanted))) return;
    EXPECT_LE(std::abs(got - wanted), units)
        << what << " of 1e" << exponent << ", row " << row << ": " << got << ", not " << wanted;
}

/// What rounding may make of the greatest number of a row; what is denormal may be 0.
template <class T>
double rounding(const T* x, std::size_t count) {
    double greatest = 0;
    for (std::size_t i = 0; i < count; ++i)
        if (std::abs(x[i]) <= std::numeric_limits<T>::max()) greatest = std::fmax(greatest, std::abs(x[i]));
    return (current_config::fast_math ? 128 : 16) * static_cast<double>(std::numeric_limits<T>::epsilon()) * greatest +
           2 * static_cast<double>(std::numeric_limits<T>::min());
}

/// By kernels along the last axis, along the first one and behind a product, against a constant expression.
template <class T, int Exponent, auto Along, auto Across>
void expect_agreement(const char* what) {
    static constexpr matrix<T> given = numbers_at<T>(Exponent);
    static constexpr auto constant = eval(Along(given));
    constexpr std::size_t count = constant.size() / rows;
    const matrix<T> x = hidden(given);
    const tensor<T, columns, rows> turned = hidden(tensor<T, columns, rows>(transpose(given)));
    const auto one = hidden(identity<T, columns>());
    const auto along = eval(Along(x)), behind = eval(Along(matmul(x, one)));
    const auto across = eval(Across(turned));
    for (std::size_t r = 0; r < rows; ++r) {
        const double units = rounding(constant.data() + r * count, count);
        for (std::size_t i = 0; i < count; ++i) {
            const T wanted = constant.data()[r * count + i];
            expect_close(along.data()[r * count + i], wanted, units, what, Exponent, r);
            expect_close(behind.data()[r * count + i], wanted, units, what, Exponent, r);
            expect_close(across.data()[i * rows + r], wanted, units, what, Exponent, r);
        }
    }
}

template <class T, auto Along, auto Across>
void agrees_at_all_magnitudes(const char* what) {
    [&]<int... Exponent>(std::integer_sequence<int, Exponent...>) {
        (expect_agreement<T, Exponent, Along, Across>(what), ...);
    }(std::integer_sequence<int, -38, -30, -19, -10, -3, 0, 2, 4, 8, 18, 30, 38>{});
}

template <class T>
class magnitudes_of_rows : public testing::Test {};
using elements = testing::Types<float, double>;
TYPED_TEST_SUITE(magnitudes_of_rows, elements);

TYPED_TEST(magnitudes_of_rows, softmax) {
    agrees_at_all_magnitudes<TypeParam, [](const auto& x) { return softmax(x); },
                             [](const auto& x) { return softmax<0>(x); }>("softmax");
}

TYPED_TEST(magnitudes_of_rows, log_softmax) {
    agrees_at_all_magnitudes<TypeParam, [](const auto& x) { return log_softmax(x); },
                             [](const auto& x) { return log_softmax<0>(x); }>("log_softmax");
}

TYPED_TEST(magnitudes_of_rows, logsumexp) {
    agrees_at_all_magnitudes<TypeParam, [](const auto& x) { return logsumexp(x); },
                             [](const auto& x) { return logsumexp<0>(x); }>("logsumexp");
}

/// log(1 / n) of n equal numbers, whatever they are.
template <class T, std::size_t Count>
void expect_equal_logits() {
    const double wanted = -std::log(static_cast<double>(Count));
    const double units = 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) * (1 - wanted);
    for (int exponent = -38; exponent <= 38; ++exponent)
        for (const T sign : {T(1), T(-1)}) {
            const T v = sign * power_of_ten<T>(exponent);
            const auto x = hidden(full<T, 3, Count>(v));
            const auto y = hidden(full<T, Count, 3>(v));
            const tensor<T, 3, Count> last = log_softmax(x), sum = log_softmax(x + zeros<T, 3, Count>()),
                                      read_twice = let(log_softmax(x), [](const auto& l) { return l + l * T(0); });
            const tensor<T, Count, 3> first = log_softmax<0>(y);
            for (const T* got : {last.data(), sum.data(), read_twice.data(), first.data()})
                for (std::size_t i = 0; i < 3 * Count; ++i)
                    expect_close(got[i], wanted, units, "log_softmax of equal numbers", exponent, i);
        }
}

TYPED_TEST(magnitudes_of_rows, log_softmax_of_equal_logits) {
    expect_equal_logits<TypeParam, 2>();
    expect_equal_logits<TypeParam, 16>();
    expect_equal_logits<TypeParam, 37>();
}

TYPED_TEST(magnitudes_of_rows, log_softmax_of_neighbours) {
    using T = TypeParam;
    const tensor<T, 4> x = hidden(tensor<T, 4>{-10000000, -10000000, -9999999, -10000001});
    const tensor<T, 4> y = log_softmax(x);
    const double total = std::log(2 * std::exp(-1.0) + 1 + std::exp(-2.0)), wanted[] = {-1, -1, 0, -2};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(y(i), wanted[i] - total, 1e-6);
}

}  // namespace
