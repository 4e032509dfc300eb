// SPDX-License-Identifier: BSL-1.0
// Products and attention with operands of f16 and bf16: as those of floats with the same values.
#include <cstddef>
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/narrow_numbers.hpp"

namespace {

using namespace ashlar;
using support::expect_near;
using support::numbers;

template <class Narrow, std::size_t Rows, std::size_t Depth, std::size_t Columns>
void expect_products() {
    const auto a = numbers<Narrow, Rows, Depth>(6);
    const auto b = numbers<Narrow, Depth, Columns>(7);
    const auto c = numbers<Narrow, Columns, Depth>(8);
    const tensor<float, Rows, Depth> x = a;
    const tensor<float, Depth, Columns> w = b;
    const tensor<float, Columns, Depth> v = c;
    const auto expected = eval(matmul(x, w));
    expect_near(eval(matmul(x, b)), expected, 1e-5);
    expect_near(eval(matmul(a, b)), expected, 1e-5);
    expect_near(eval(matmul(a, w)), expected, 1e-5);
    packed<Narrow, Depth, Columns> p;
    pack(p, w);
    expect_near(eval(matmul(x, p)), expected, 1e-5);
    expect_near(eval(matmul(a, pack(b)) * 1.0f), expected, 1e-5);
    expect_near(eval(p + 0.0f), w, 0);
    expect_near(eval(matmul(x, transpose(c))), eval(matmul(x, transpose(v))), 1e-5);
    expect_near(eval(gelu(matmul(a, transpose(c)))), eval(gelu(matmul(x, transpose(v)))), 1e-5);
    const tensor<Narrow, Rows, Columns> y = matmul(x, b);
    expect_near(y, eval(cast<Narrow>(expected)), 1e-2);
}
TEST(NarrowProducts, OneRow) { expect_products<bf16, 1, 40, 70>(); }
TEST(NarrowProducts, FewRows) { expect_products<f16, 4, 16, 6>(); }
TEST(NarrowProducts, ManyRows) { expect_products<bf16, 33, 19, 37>(); }

TEST(NarrowProducts, RowsFromBehindTheL2) {
    static const auto w = numbers<bf16, 1000, 1056>(15);
    static const tensor<float, 1000, 1056> wide = w;
    static const auto x = numbers<float, 16, 1000>(16);
    static tensor<float, 16, 1056> y, expected;
    y = matmul(x, w);
    expected = matmul(x, wide);
    expect_near(y, expected, 1e-5);
}

template <class Narrow, std::size_t Queries, std::size_t Keys>
void expect_attention() {
    const auto q = numbers<float, 2, Queries, 16>(9);
    const auto k = numbers<Narrow, 2, Keys, 16>(10), v = numbers<Narrow, 2, Keys, 16>(11);
    const tensor<float, 2, Keys, 16> wide_k = k, wide_v = v;
    expect_near(eval(attention(q, k, v)), eval(attention(q, wide_k, wide_v)), 1e-5);
    expect_near(eval(attention(q, k, v, causal)), eval(attention(q, wide_k, wide_v, causal)), 1e-5);
    expect_near(eval(attention(q, k, v, keys_below(Keys - 3))),
                eval(attention(q, wide_k, wide_v, keys_below(Keys - 3))), 1e-5);
}
TEST(NarrowProducts, AttentionOfOneQuery) { expect_attention<bf16, 1, 40>(); }
TEST(NarrowProducts, AttentionOfFewQueries) { expect_attention<f16, 7, 9>(); }
TEST(NarrowProducts, AttentionOfManyQueries) { expect_attention<bf16, 35, 35>(); }

TEST(NarrowProducts, ExcludedValuesAreNotRead) {
    const auto q = numbers<float, 20, 16>(12);
    auto k = numbers<bf16, 20, 16>(13), v = numbers<bf16, 20, 16>(14);
    const auto expected = eval(attention(q, k, v, keys_below(11)));
    for (std::size_t row = 11; row < 20; ++row) {
        k[row] = std::numeric_limits<float>::quiet_NaN();
        v[row] = std::numeric_limits<float>::infinity();
    }
    expect_near(eval(attention(q, k, v, keys_below(11))), expected, 0);
}

}  // namespace
