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

/// Function.operator()<Axis>, by kernels along the last axis, along the first one and, if `Behind`, behind a product,
/// against a constant expression.
template <const auto& Given, auto Function, bool Behind = false>
void expect_agreement(const char* what) {
    using matrix = std::remove_cvref_t<decltype(Given)>;
    using T = typename matrix::value_type;
    constexpr std::size_t rows = matrix::extents[0];
    constexpr auto on_rows = [](const auto& x) { return Function.template operator()<1>(x); };
    static constexpr auto constant = eval(on_rows(Given));
    constexpr std::size_t count = constant.size() / rows;
    const matrix x = hidden(Given);
    const auto along = eval(on_rows(x));
    const auto across = eval(Function.template operator()<0>(hidden(eval(transpose(Given)))));
    auto behind = along;
    if constexpr (Behind) behind = on_rows(matmul(x, hidden(identity<T, columns>())));
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

/// A function of rows alone, whose columns are found by transposes.
template <auto Function>
constexpr auto by_transposes = []<int Axis>(const auto& x) {
    if constexpr (Axis == 1)
        return Function(x);
    else
        return transpose(Function(transpose(x)));
};
template <class T>
void softmax_and_layer_norm() {
    constexpr bool behind = sizeof(T) == 4;
    expect_agreement<of_all_magnitudes<T>, []<int Axis>(const auto& x) { return softmax<Axis>(x); }, behind>("softmax");
    expect_agreement<of_spread_rows<T>, by_transposes<[](const auto& x) { return layer_norm(x); }>, behind>(
        "layer_norm");
}
TEST(magnitudes_of_rows, softmax_and_layer_norm) {
    softmax_and_layer_norm<float>();
    softmax_and_layer_norm<double>();
}
TEST(magnitudes_of_rows, logarithms) {
    expect_agreement<of_all_magnitudes<float>, []<int Axis>(const auto& x) { return log_softmax<Axis>(x); }, true>(
        "log_softmax");
    expect_agreement<of_all_magnitudes<float>, []<int Axis>(const auto& x) { return logsumexp<Axis>(x); }>("logsumexp");
}
TEST(magnitudes_of_rows, norms_and_means) {
    constexpr const auto& given = of_magnitudes_with_squares<float>;
    expect_agreement<given, by_transposes<[](const auto& x) { return rms_norm(x); }>, true>("rms_norm");
    expect_agreement<given, []<int Axis>(const auto& x) { return normalize<Axis>(x); }>("normalize");
    expect_agreement<of_spread_rows<float>, []<int Axis>(const auto& x) { return variance<Axis>(x); }, true>(
        "variance");
    expect_agreement<given, []<int Axis>(const auto& x) {
        if constexpr (Axis == 1)
            return masked_mean<1>(abs(x), keys_below(5));
        else
            return masked_mean<1>(transpose(abs(x)), keys_below(5));
    }>("masked_mean");
}

/// Squares that overflow leave 0, as in PyTorch and NumPy; a variance is infinite.
TEST(magnitudes_of_rows, squares_that_overflow) {
    if (current_config::fast_math) GTEST_SKIP() << "infinities are not promised under -ffast-math";
    const tensor<float, 3, columns> x = hidden(tensor<float, 3, columns>(numbers<float, 3, 0>() * 1e20f));
    const tensor<float, columns, 3> turned = transpose(x);
    const auto zero = [](const auto& y) {
        for (const auto v : y) EXPECT_EQ(v, 0);
    };
    zero(eval(rms_norm(x)));
    zero(eval(normalize(x)));
    zero(eval(normalize<0>(turned)));
    zero(eval(layer_norm(x)));
    zero(eval(layer_norm(transpose(turned))));
    zero(eval(layer_norm(hidden(tensor<double, 3, columns>(numbers<double, 3, 0>() * 1e160)))));
    for (const float v : eval(variance<1>(x))) EXPECT_EQ(v, std::numeric_limits<float>::infinity());
    for (const float v : eval(variance<0>(turned))) EXPECT_EQ(v, std::numeric_limits<float>::infinity());
}

/// log(1 / n) of n equal numbers, for any of them.
template <std::size_t Count>
void expect_equal_logits() {
    const double wanted = -std::log(static_cast<double>(Count));
    const double units = 8 * static_cast<double>(std::numeric_limits<float>::epsilon()) * (1 - wanted);
    for (int exponent = -38; exponent <= 38; ++exponent)
        for (const float v : {power_of_ten<float>(exponent), -power_of_ten<float>(exponent)}) {
            const auto x = hidden(full<float, 3, Count>(v));
            const tensor<float, 3, Count> last = log_softmax(x);
            const tensor<float, Count, 3> first = log_softmax<0>(hidden(full<float, Count, 3>(v)));
            tensor<float, 3, Count> read_twice = last;
            if constexpr (Count == 37) read_twice = let(log_softmax(x), [](const auto& l) { return l + l * 0.0f; });
            for (std::size_t i = 0; i < 3 * Count; ++i)
                for (const float got : {last.data()[i], read_twice.data()[i], first.data()[i]})
                    expect_close(got, wanted, units, "log_softmax of equal numbers", i);
        }
}
TEST(magnitudes_of_rows, log_softmax_of_equal_logits) {
    expect_equal_logits<16>();
    expect_equal_logits<37>();
}

TEST(magnitudes_of_rows, log_softmax_of_neighbours) {
    const auto x = hidden(tensor<double, 4>{-10000000, -10000000, -9999999, -10000001});
    const tensor<float, 4> narrow = hidden(tensor<float, 4>(cast<float>(x)));
    const tensor<double, 4> y = log_softmax(x), z = cast<double>(log_softmax(narrow));
    const double total = std::log(2 * std::exp(-1.0) + 1 + std::exp(-2.0)), wanted[] = {-1, -1, 0, -2};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(y(i), wanted[i] - total, 1e-6);
        EXPECT_NEAR(z(i), wanted[i] - total, 1e-6);
    }
}

}  // namespace
