// SPDX-License-Identifier: BSL-1.0
// Products whose right operand is row-major and comes from behind the L2: deep ones are summed in parts of the depth.
#define ASHLAR_L2_BYTES 4096
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/product_strategies.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Expects result(i, j) to be value(i, j, the product's entry), over run-time shapes so that it is compiled once.
template <class T>
[[gnu::noinline]] void expect_products(const T* result, const T* a, const T* b, std::size_t rows, std::size_t columns,
                                       std::size_t depth, double (*value)(double, double, double),
                                       const T* bias = nullptr, const T* rest = nullptr) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < depth; ++k) sum += double(a[i * depth + k]) * double(b[k * columns + j]);
            const double expected = value(sum, bias ? double(bias[j]) : 0, rest ? double(rest[i * columns + j]) : 0);
            ASSERT_NEAR(result[i * columns + j], expected, sizeof(T) == 8 ? 1e-11 : 4e-5)
                << rows << "x" << columns << "x" << depth << " at " << i << ", " << j;
        }
}

template <class T, std::size_t Rows, std::size_t Columns, std::size_t Depth>
void multiply() {
    static const auto a = support::random_numbers(1).uniform<T, Rows, Depth>();
    static const auto b = support::random_numbers(2).uniform<T, Depth, Columns>();
    static const auto bias = support::random_numbers(3).uniform<T, Columns>();
    static const auto rest = support::random_numbers(4).uniform<T, Rows, Columns>();
    const auto check = [](const auto& result, double (*value)(double, double, double)) {
        expect_products(result.data(), a.data(), b.data(), Rows, Columns, Depth, value, bias.data(), rest.data());
    };
    // What the destination held before is not part of any sum.
    static tensor<T, Rows, Columns> out = full<T, Rows, Columns>(T(not_a_number));
    out = matmul(a, b);
    check(out, [](double sum, double, double) { return sum; });
    out = full<T, Rows, Columns>(T(not_a_number));
    out = max(matmul(a, b) + bias, T(0)) + rest;
    check(out, [](double sum, double by, double and_by) { return std::max(sum + by, 0.0) + and_by; });
    // In place: the destination is also what the rest of the expression reads.
    out = rest;
    out = matmul(a, b) * T(0.5) + out;
    check(out, [](double sum, double, double and_by) { return sum * 0.5 + and_by; });
}

TEST(streamed_products, sums_in_parts_of_the_depth) {
    multiply<float, 8, 320, 97>();
    multiply<float, 17, 131, 101>();
    multiply<double, 7, 64, 65>();
}

TEST(streamed_products, destinations_with_gaps) {
    static const auto a = support::random_numbers(5).uniform<float, 8, 100>();
    static const auto b = support::random_numbers(6).uniform<float, 100, 128>();
    static tensor<float, 8, 160> wide = full<float, 8, 160>(-7.0f);
    slice<1, 16, 144>(wide) = matmul(a, b);
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t j = 0; j < 160; ++j) {
            const bool inside = j >= 16 && j < 144;
            ASSERT_NEAR(wide(i, j), inside ? reference::product_at(a, b, i, j - 16) : -7.0, 4e-5);
        }
    static tensor<float, 128, 8> turned;
    transpose(turned) = matmul(a, b);
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t j = 0; j < 128; ++j) ASSERT_NEAR(turned(j, i), reference::product_at(a, b, i, j), 4e-5);
}

TEST(streamed_products, masked_results_of_another_type) {
    static const auto a = support::random_numbers(7).uniform<float, 16, 80>();
    static const auto b = support::random_numbers(8).uniform<float, 80, 128>();
    const auto above = eval(matmul(a, b) > 0.5f);
    const auto masked = eval(where(causal, matmul(a, b), -1.0f));
    for (std::size_t i = 0; i < 16; ++i)
        for (std::size_t j = 0; j < 128; ++j) {
            const double exact = reference::product_at(a, b, i, j);
            ASSERT_NEAR(masked(i, j), j <= i ? exact : -1.0, 4e-5);
            if (std::abs(exact - 0.5) >= 1e-4) {
                ASSERT_EQ(above(i, j), exact > 0.5);
            }
        }
}

TEST(streamed_products, an_operand_that_is_the_destination) {
    static auto x = support::random_numbers(9).uniform<float, 12, 128>();
    static const auto w = support::random_numbers(10).uniform<float, 128, 128>();
    static const tensor<float, 12, 128> before = x;
    x = matmul(x, w);
    expect_products(x.data(), before.data(), w.data(), 12, 128, 128, [](double sum, double, double) { return sum; });
}

TEST(streamed_products, layers_in_a_chain) {
    static const auto x = support::random_numbers(11).uniform<float, 40, 96>();
    static const auto up = support::random_numbers(12).uniform<float, 96, 192>();
    static const auto down = support::random_numbers(13).uniform<float, 192, 96>();
    const auto y = eval(matmul(max(matmul(x, up), 0.0f), down) + x);
    static tensor<double, 40, 192> hidden;
    for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t j = 0; j < 192; ++j) hidden(i, j) = std::max(reference::product_at(x, up, i, j), 0.0);
    for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t j = 0; j < 96; ++j)
            ASSERT_NEAR(y(i, j), reference::product_at(hidden, down, i, j) + x(i, j), 4e-4);
}

/// With few registers the first rows copy the columns.
template <class Expression>
constexpr bool copies_columns() {
    const auto& code = detail::planned<Expression, current_config>::code;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        if (support::runs_by<detail::copying_product>(code.stages[s].how[0].product)) return true;
    return false;
}
TEST(streamed_products, copied_columns) {
    multiply<float, 31, 256, 131>();
    const auto x = support::random_numbers(7).uniform<float, 35, 700>();
    const auto w = support::random_numbers(8).uniform<float, 700, 80>();
    const auto rows = slice<1, 3, 75>(w);
    const auto e = gelu(matmul(x, rows));
    constexpr detail::machine here = detail::machine_of<current_config>;
    constexpr bool few_registers = here.registers < 32 && here.fills_register(4) && here.lanes(4) <= 8;
    static_assert(!few_registers || copies_columns<std::remove_cvref_t<decltype(e)>>());
    const auto result = eval(e);
    for (std::size_t i = 0; i < 35; ++i)
        for (std::size_t j = 0; j < 72; ++j) {
            const double sum = reference::product_at(x, rows, i, j);
            ASSERT_NEAR(result(i, j), sum / 2 * (1 + std::erf(sum / std::sqrt(2.0))), 1e-3) << i << ", " << j;
        }
}

}  // namespace
