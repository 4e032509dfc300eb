// SPDX-License-Identifier: BSL-1.0
// Products and attention with operands of f16 and bf16: as those of doubles with the same values.
#include <cstddef>
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/differential.hpp"
#include "support/narrow_numbers.hpp"

namespace {

using namespace ashlar;
using reference::of;
using support::check, support::numbers;

template <class Left, class Narrow, std::size_t Rows, std::size_t Depth, std::size_t Columns>
struct factors {
    tensor<Left, Rows, Depth> a = numbers<Left, Rows, Depth>(6);
    tensor<Narrow, Depth, Columns> b = numbers<Narrow, Depth, Columns>(7);
    tensor<Narrow, Columns, Depth> c = numbers<Narrow, Columns, Depth>(8);
    packed<Narrow, Depth, Columns> p = pack(b);
    reference::array product = reference::matmul(of(a), of(b));
    reference::array by_transpose = reference::matmul(of(a), reference::transpose(of(c)));

    void check_all() const {
        check(matmul(a, b), product);
        check(matmul(a, p), product);
        check(matmul(a, transpose(c)), by_transpose);
    }
};
TEST(NarrowProducts, OneRow) { factors<float, bf16, 1, 40, 70>{}.check_all(); }
TEST(NarrowProducts, FewRows) { factors<f16, f16, 4, 16, 6>{}.check_all(); }
TEST(NarrowProducts, ManyRows) { factors<float, bf16, 33, 19, 37>{}.check_all(); }

TEST(NarrowProducts, ManyNarrowRows) {
    const factors<bf16, bf16, 33, 19, 37> of_narrow;
    const tensor<float, 19, 37> wide = of_narrow.b;
    check(matmul(of_narrow.a, wide), of_narrow.product);
    check(matmul(of_narrow.a, of_narrow.b), of_narrow.product);
    check(gelu(matmul(of_narrow.a, transpose(of_narrow.c))), reference::map(of_narrow.by_transpose, reference::gelu));
    packed<bf16, 19, 37> rounded;
    pack(rounded, wide);
    check(rounded + 0.0f, of(wide), 0);
    const tensor<bf16, 33, 37> y = matmul(of_narrow.a, rounded) * 1.0f;
    reference::expect_near(y, of_narrow.product, 4e-3);
}

TEST(NarrowProducts, RowsFromBehindTheL2) {
    static const auto w = numbers<bf16, 1000, 1056>(15);
    static const auto x = numbers<float, 16, 1000>(16);
    static tensor<float, 16, 1056> y;
    y = matmul(x, w);
    for (std::size_t i = 0; i < 16; ++i)
        for (std::size_t j = 0; j < 1056; j += 5)
            ASSERT_EQ(y(i, j), reference::product_at(x, w, i, j)) << i << ' ' << j;
}

/// Excluded keys and values are not read.
template <class Narrow, std::size_t Queries, std::size_t Keys>
void expect_attention() {
    const auto q = numbers<float, 2, Queries, 16>(9);
    auto k = numbers<Narrow, 2, Keys, 16>(10), v = numbers<Narrow, 2, Keys, 16>(11);
    check(attention(q, k, v), reference::attend(of(q), of(k), of(v)).values);
    for (std::size_t h = 0; h < 2; ++h)
        for (std::size_t key = Keys - 3; key < Keys; ++key) {
            k[h][key] = std::numeric_limits<float>::quiet_NaN();
            v[h][key] = std::numeric_limits<float>::infinity();
        }
    reference::attention_options options;
    options.keep = [](const reference::index&, std::size_t, std::size_t key) { return key < Keys - 3; };
    check(attention(q, k, v, keys_below(Keys - 3)), reference::attend(of(q), of(k), of(v), options).values);
}
TEST(NarrowProducts, AttentionOfOneQuery) { expect_attention<bf16, 1, 40>(); }
TEST(NarrowProducts, AttentionOfFewQueries) { expect_attention<f16, 7, 9>(); }
TEST(NarrowProducts, AttentionOfManyQueries) { expect_attention<bf16, 35, 35>(); }

}  // namespace
