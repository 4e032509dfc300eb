// SPDX-License-Identifier: BSL-1.0
// Products whose right operand lies by rows behind the second cache: deep ones are summed up in parts of the depth.
#define ASHLAR_L2_BYTES 4096
#include <ashlar/ashlar.hpp>

#include <gtest/gtest.h>

#include "support/random.hpp"
#include "support/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ashlar;

namespace {

template <class T, auto... Dims>
tensor<T, Dims...> random_tensor(unsigned seed) {
    tensor<T, Dims...> t;
    support::random_numbers random(seed);
    random.fill_uniform(t);
    return t;
}

template <class T>
inline constexpr double tolerance = sizeof(T) == 8 ? 1e-11 : 4e-5;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Element (i, j) of a.b in double precision.
template <class A, class B>
double product_at(const A& a, const B& b, std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < b.extents[0]; ++k) sum += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
    return sum;
}

template <class T, std::size_t Rows, std::size_t Columns, std::size_t Depth>
void multiply() {
    static const auto a = random_tensor<T, Rows, Depth>(1);
    static const auto b = random_tensor<T, Depth, Columns>(2);
    static const auto bias = random_tensor<T, Columns>(3);
    static const auto rest = random_tensor<T, Rows, Columns>(4);
    const auto check = [](const auto& result, auto expected) {
        for (std::size_t i = 0; i < Rows; ++i)
            for (std::size_t j = 0; j < Columns; ++j)
                ASSERT_NEAR(result(i, j), expected(i, j), tolerance<T>) << Rows << "x" << Columns << "x" << Depth << " at " << i << ", " << j;
    };
    // What the destination held before is not part of any sum.
    static tensor<T, Rows, Columns> out;
    std::fill_n(out.data(), out.size(), static_cast<T>(not_a_number));
    out = matmul(a, b);
    check(out, [](std::size_t i, std::size_t j) { return product_at(a, b, i, j); });
    std::fill_n(out.data(), out.size(), static_cast<T>(not_a_number));
    out = max(matmul(a, b) + bias, T(0)) + rest;
    check(out, [](std::size_t i, std::size_t j) { return std::max(product_at(a, b, i, j) + bias(j), 0.0) + rest(i, j); });
    // In place: the destination is also what the rest of the expression reads.
    out = rest;
    out = matmul(a, b) * T(0.5) + out;
    check(out, [](std::size_t i, std::size_t j) { return product_at(a, b, i, j) * 0.5 + rest(i, j); });
}

}  // namespace

TEST(streamed_columns, sums_in_parts_of_the_depth) {
    multiply<float, 6, 128, 32>();
    multiply<float, 6, 128, 33>();
    multiply<float, 13, 192, 64>();
    multiply<float, 8, 320, 97>();
    multiply<float, 31, 256, 131>();
    multiply<float, 5, 256, 131>();
    multiply<float, 17, 131, 101>();
    multiply<double, 7, 64, 65>();
    multiply<double, 24, 96, 200>();
}

TEST(streamed_columns, destinations_with_gaps) {
    static const auto a = random_tensor<float, 9, 100>(5);
    static const auto b = random_tensor<float, 100, 128>(6);
    static tensor<float, 9, 160> wide;
    std::fill_n(wide.data(), wide.size(), -7.0f);
    slice<1, 16, 144>(wide) = matmul(a, b);
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = 0; j < 160; ++j) {
            const bool inside = j >= 16 && j < 144;
            ASSERT_NEAR(wide(i, j), inside ? product_at(a, b, i, j - 16) : -7.0, 4e-5);
        }
    static tensor<float, 128, 9> turned;
    transpose(turned) = matmul(a, b);
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = 0; j < 128; ++j) ASSERT_NEAR(turned(j, i), product_at(a, b, i, j), 4e-5);
}

TEST(streamed_columns, results_of_another_type) {
    static const auto a = random_tensor<float, 8, 80>(7);
    static const auto b = random_tensor<float, 80, 128>(8);
    const auto above = eval(matmul(a, b) > 0.5f);
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t j = 0; j < 128; ++j) {
            const double exact = product_at(a, b, i, j);
            if (std::abs(exact - 0.5) < 1e-4) continue;
            ASSERT_EQ(above(i, j), exact > 0.5);
        }
}

TEST(streamed_columns, an_operand_that_is_the_destination) {
    static auto x = random_tensor<float, 12, 128>(9);
    static const auto w = random_tensor<float, 128, 128>(10);
    static const tensor<float, 12, 128> before = x;
    x = matmul(x, w);
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < 128; ++j) ASSERT_NEAR(x(i, j), product_at(before, w, i, j), 4e-5);
}

TEST(streamed_columns, layers_in_a_chain) {
    static const auto x = random_tensor<float, 40, 96>(11);
    static const auto up = random_tensor<float, 96, 192>(12);
    static const auto down = random_tensor<float, 192, 96>(13);
    const auto y = eval(matmul(max(matmul(x, up), 0.0f), down) + x);
    static tensor<double, 40, 192> hidden;
    for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t j = 0; j < 192; ++j) hidden(i, j) = std::max(product_at(x, up, i, j), 0.0);
    for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t j = 0; j < 96; ++j) ASSERT_NEAR(y(i, j), product_at(hidden, down, i, j) + x(i, j), 4e-4);
}

TEST(streamed_columns, masked_products) {
    static const auto a = random_tensor<float, 16, 70>(14);
    static const auto b = random_tensor<float, 70, 128>(15);
    const auto y = eval(where(causal, matmul(a, b), -1.0f));
    for (std::size_t i = 0; i < 16; ++i)
        for (std::size_t j = 0; j < 128; ++j) ASSERT_NEAR(y(i, j), j <= i ? product_at(a, b, i, j) : -1.0, 4e-5);
}
