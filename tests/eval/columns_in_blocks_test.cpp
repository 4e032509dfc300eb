// SPDX-License-Identifier: BSL-1.0
// Products with a right operand in blocks of columns read it in place and equal the product with a plain copy.
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;

namespace {

template <class T>
inline constexpr double tolerance = sizeof(T) == 8 ? 1e-12 : 4e-6;

/// The scores of keys in blocks, against those of the same keys in rows.
template <class T, std::size_t Heads, std::size_t Blocks, std::size_t Block, std::size_t Depth, std::size_t Rows>
void attend() {
    constexpr std::size_t keys = Blocks * Block;
    static const auto in_blocks = support::random_numbers(1).uniform<T, Heads, Blocks, Depth, Block>();
    static const auto v = support::random_numbers(2).uniform<T, Heads, keys, 9>();
    static const auto q = support::random_numbers(3).uniform<T, Heads, Rows, Depth>();
    const auto k = reshape<Heads, keys, Depth>(permute<0, 1, 3, 2>(in_blocks));
    static const tensor<T, Heads, keys, Depth> plain = k;
    reference::attention_options options;
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, Block, Block + 1, keys - 1, keys}) {
        options.keep = [=](const reference::index&, std::size_t, std::size_t key) { return key < length; };
        const auto expected =
            reference::attend(reference::of(q), reference::of(plain), reference::of(v), options).values;
        reference::expect_near(eval(attention(q, k, v, keys_below(length))), expected, tolerance<T>);
        const auto offset = static_cast<std::ptrdiff_t>(length) - static_cast<std::ptrdiff_t>(Rows);
        options.keep = [=](const reference::index&, std::size_t query, std::size_t key) {
            return static_cast<std::ptrdiff_t>(key) <= static_cast<std::ptrdiff_t>(query) + offset;
        };
        const auto masked_expected =
            reference::attend(reference::of(q), reference::of(plain), reference::of(v), options).values;
        reference::expect_near(eval(attention(q, k, v, causal_at(offset))), masked_expected, tolerance<T>);
    }
}

}  // namespace

TEST(column_blocks, attention_to_keys_in_blocks) {
    attend<float, 2, 4, 64, 16, 1>();
    attend<float, 1, 3, 16, 7, 2>();
    attend<float, 2, 2, 48, 5, 33>();
    attend<double, 2, 3, 32, 9, 4>();
}

// A product with adjacent heads: a weight [heads, depth, width] as the matrix [depth, heads * width].
TEST(column_blocks, weights_of_heads) {
    const auto w = support::random_numbers(4).uniform<float, 3, 20, 32>();
    const auto x = support::random_numbers(5).uniform<float, 11, 20>();
    const auto side_by_side = reshape<20, 96>(permute<1, 0, 2>(w));
    const tensor<float, 20, 96> plain = side_by_side;
    static_assert(workspace_bytes<decltype(matmul(x, side_by_side))> == 0);
    const tensor<float, 11, 96> expected = matmul(x, plain);
    reference::expect_near(eval(matmul(x, side_by_side)), reference::of(expected), 1e-6);
    reference::expect_near(eval(gelu(matmul(x, side_by_side) + row(plain, 3))),
                           reference::of(eval(gelu(matmul(x, plain) + row(plain, 3)))), 1e-6);
    reference::expect_near(eval(let(side_by_side, [&](const auto& m) { return matmul(x, m) - sum<0>(m); })),
                           reference::of(eval(matmul(x, plain) - sum<0>(plain))), 1e-5);
}

// Where the blocks are no whole registers or their place is known at run time only, a copy is as right.
TEST(column_blocks, other_blocks_are_copied) {
    const auto w = support::random_numbers(6).uniform<float, 3, 20, 7>();
    const auto x = support::random_numbers(7).uniform<float, 11, 20>();
    const auto side_by_side = reshape<20, 21>(permute<1, 0, 2>(w));
    const tensor<float, 20, 21> plain = side_by_side;
    reference::expect_near(eval(matmul(x, side_by_side)), reference::of(eval(matmul(x, plain))), 1e-6);
    const auto wide = support::random_numbers(8).uniform<float, 2, 20, 64>();
    const auto part = slice<1, 5, 101>(reshape<20, 128>(permute<1, 0, 2>(wide)));
    const tensor<float, 20, 96> plain_part = part;
    reference::expect_near(eval(matmul(x, part)), reference::of(eval(matmul(x, plain_part))), 1e-6);
}

// Query heads that share keys, without a copy of these for each.
TEST(column_blocks, shared_by_groups) {
    const auto in_blocks = support::random_numbers(9).uniform<float, 2, 2, 8, 64>();
    const auto v = support::random_numbers(10).uniform<float, 2, 128, 8>();
    const auto q = support::random_numbers(11).uniform<float, 6, 3, 8>();
    const auto k = reshape<2, 128, 8>(permute<0, 1, 3, 2>(in_blocks));
    const tensor<float, 2, 128, 8> plain = k;
    const tensor<float, 6, 3, 8> expected = attention(q, plain, v, keys_below(77));
    reference::expect_near(eval(attention(q, k, v, keys_below(77))), reference::of(expected), 1e-6);
}

// Keys behind the length may be NaN.
TEST(column_blocks, nan_behind_the_length) {
    auto in_blocks = support::random_numbers(12).uniform<float, 1, 3, 8, 64>();
    auto v = support::random_numbers(13).uniform<float, 1, 192, 8>();
    const auto q = support::random_numbers(14).uniform<float, 1, 2, 8>();
    for (std::size_t t = 70; t < 192; ++t)
        for (std::size_t d = 0; d < 8; ++d)
            in_blocks(0, t / 64, d, t % 64) = v(0, t, d) = std::numeric_limits<float>::quiet_NaN();
    const auto k = reshape<1, 192, 8>(permute<0, 1, 3, 2>(in_blocks));
    const tensor<float, 1, 70, 8> kept_keys = slice<1, 0, 70>(k), kept_values = slice<1, 0, 70>(v);
    const tensor<float, 1, 2, 8> expected = attention(q, kept_keys, kept_values);
    reference::expect_near(eval(attention(q, k, v, keys_below(70))), reference::of(expected), 1e-6);
}
