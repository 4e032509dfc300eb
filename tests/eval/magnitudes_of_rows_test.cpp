// SPDX-License-Identifier: BSL-1.0
// Functions of rows over all magnitudes: kernels against constant expressions, and against what is right.
#include <cmath>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

constexpr std::size_t columns = 21;

template <class T>
constexpr T power_of_ten(int exponent) {
    double power = 1;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) power *= 10;
    return static_cast<T>(exponent < 0 ? 1 / power : power);
}

/// Rows of each magnitude: of both signs; all negative but one; alternating; and, if there are five, all equal; nearly
/// equal.
template <class T, std::size_t Rows, int... Exponent>
constexpr auto numbers() {
    tensor<T, sizeof...(Exponent) * Rows, columns> x{};
    unsigned seed = 7;
    std::size_t row = 0;
    for (const int exponent : {Exponent...}) {
        const T s = power_of_ten<T>(exponent);
        for (std::size_t i = 0; i < columns; ++i) {
            seed = seed * 1664525u + 1013904223u;
            const T r = static_cast<T>(static_cast<double>(seed >> 8) / 16777216.0);
            const T all[] = {(2 * r - 1) * s, i == columns / 2 ? s / 2 : -s * (1 - r / 8), i % 2 ? s : -s, s,
                             -s * (1 + r / 1000)};
            for (std::size_t k = 0; k < Rows; ++k) x(row + k, i) = all[k];
        }
        row += Rows;
    }
    return x;
}
template <class T>
constexpr auto of_all_magnitudes = numbers<T, 5, -38, -19, -3, 0, 4, 8, 38>();
template <class T>
constexpr auto of_magnitudes_with_squares = numbers<T, 5, -38, -19, -3, 0, 4, 8, 18>();
template <class T>
constexpr auto of_spread_rows = numbers<T, 3, -38, -19, -3, 0, 4, 8, 18>();

/// Hides values from the optimiser.
template <class Tensor>
Tensor hidden(Tensor x) {
    asm volatile("" ::"r"(&x) : "memory");
    return x;
}

[[gnu::noinline]] void expect_close(double got, double wanted, double units, const char* what, std::size_t row) {
    if (got == wanted || (std::isnan(got) && std::isnan(wanted))) return;
    EXPECT_LE(std::abs(got - wanted), units) << what << ", row " << row << ": " << got << ", not " << wanted;
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
template <const auto& Given, auto Along, auto Across>
void expect_agreement(const char* what) {
    using matrix = std::remove_cvref_t<decltype(Given)>;
    using T = typename matrix::value_type;
    constexpr std::size_t rows = matrix::extents[0];
    static constexpr auto constant = eval(Along(Given));
    constexpr std::size_t count = constant.size() / rows;
    const matrix x = hidden(Given);
    const tensor<T, columns, rows> turned = hidden(tensor<T, columns, rows>(transpose(Given)));
    const auto one = hidden(identity<T, columns>());
    const auto along = eval(Along(x)), behind = eval(Along(matmul(x, one)));
    const auto across = eval(Across(turned));
    for (std::size_t r = 0; r < rows; ++r) {
        const double units = rounding(constant.data() + r * count, count);
        for (std::size_t i = 0; i < count; ++i) {
            const T wanted = constant.data()[r * count + i];
            expect_close(along.data()[r * count + i], wanted, units, what, r);
            expect_close(behind.data()[r * count + i], wanted, units, what, r);
            expect_close(across.data()[i * rows + r], wanted, units, what, r);
        }
    }
}

template <class T>
class magnitudes_of_rows : public testing::Test {};
using elements = testing::Types<float, double>;
TYPED_TEST_SUITE(magnitudes_of_rows, elements);

TYPED_TEST(magnitudes_of_rows, softmax) {
    expect_agreement<of_all_magnitudes<TypeParam>, [](const auto& x) { return softmax(x); },
                     [](const auto& x) { return softmax<0>(x); }>("softmax");
    expect_agreement<of_all_magnitudes<TypeParam>, [](const auto& x) { return log_softmax(x); },
                     [](const auto& x) { return log_softmax<0>(x); }>("log_softmax");
    expect_agreement<of_all_magnitudes<TypeParam>, [](const auto& x) { return logsumexp(x); },
                     [](const auto& x) { return logsumexp<0>(x); }>("logsumexp");
}

TYPED_TEST(magnitudes_of_rows, norms) {
    expect_agreement<of_magnitudes_with_squares<TypeParam>, [](const auto& x) { return rms_norm(x); },
                     [](const auto& x) { return transpose(rms_norm(transpose(x))); }>("rms_norm");
    expect_agreement<of_magnitudes_with_squares<TypeParam>, [](const auto& x) { return normalize(x); },
                     [](const auto& x) { return normalize<0>(x); }>("normalize");
    expect_agreement<of_spread_rows<TypeParam>, [](const auto& x) { return layer_norm(x); },
                     [](const auto& x) { return transpose(layer_norm(transpose(x))); }>("layer_norm");
}

TYPED_TEST(magnitudes_of_rows, means) {
    expect_agreement<of_magnitudes_with_squares<TypeParam>, [](const auto& x) { return mean<1>(abs(x)); },
                     [](const auto& x) { return mean<0>(abs(x)); }>("mean");
    expect_agreement<of_spread_rows<TypeParam>, [](const auto& x) { return variance<1>(x); },
                     [](const auto& x) { return variance<0>(x); }>("variance");
    expect_agreement<of_magnitudes_with_squares<TypeParam>,
                     [](const auto& x) { return masked_mean<1>(abs(x), keys_below(5)); },
                     [](const auto& x) { return masked_mean<1>(transpose(abs(x)), keys_below(5)); }>("masked_mean");
}

/// Squares that overflow leave 0, as in PyTorch and NumPy; a variance is infinite.
TYPED_TEST(magnitudes_of_rows, squares_that_overflow) {
    using T = TypeParam;
    if (current_config::fast_math) GTEST_SKIP() << "infinities are not promised under -ffast-math";
    const T large = sizeof(T) == 4 ? T(1e20) : T(1e160);
    const tensor<T, 3, columns> x = hidden(tensor<T, 3, columns>(numbers<T, 3, 0>() * large));
    const tensor<T, columns, 3> turned = transpose(x);
    const auto zero = [](const auto& y) {
        for (const T v : y) EXPECT_EQ(v, 0);
    };
    zero(eval(rms_norm(x)));
    zero(eval(normalize(x)));
    zero(eval(normalize<0>(turned)));
    zero(eval(layer_norm(x)));
    zero(eval(rms_norm(transpose(turned))));
    zero(eval(layer_norm(transpose(turned))));
    for (const T v : eval(variance<1>(x))) EXPECT_EQ(v, std::numeric_limits<T>::infinity());
    for (const T v : eval(variance<0>(turned))) EXPECT_EQ(v, std::numeric_limits<T>::infinity());
}

/// log(1 / n) of n equal numbers, for any of them.
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
                    expect_close(got[i], wanted, units, "log_softmax of equal numbers", i);
        }
}

TYPED_TEST(magnitudes_of_rows, log_softmax_of_equal_logits) {
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
