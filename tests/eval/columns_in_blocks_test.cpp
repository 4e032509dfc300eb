// SPDX-License-Identifier: BSL-1.0
// Products with a right operand in blocks of columns read it in place and equal the product with a plain copy.
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;
using reference::expect_near, reference::of, support::random_numbers;

namespace {

/// The scores of keys in blocks, which query heads share in groups. Keys behind the length may be NaN.
template <class T, std::size_t QueryHeads, std::size_t Heads, std::size_t Blocks, std::size_t Block, std::size_t Depth,
          std::size_t Rows>
void attend() {
    constexpr std::size_t keys = Blocks * Block;
    constexpr double tolerance = sizeof(T) == 8 ? 1e-12 : 4e-6;
    const auto q = random_numbers(3).uniform<T, QueryHeads, Rows, Depth>();
    reference::attention_options options;
    const auto expected = [&](const auto& k, const auto& v) {
        return reference::attend(of(q), of(tensor<T, Heads, keys, Depth>(k)), of(v), options).values;
    };
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, Block, Block + 1, keys - 1, keys}) {
        auto in_blocks = random_numbers(1).uniform<T, Heads, Blocks, Depth, Block>();
        auto v = random_numbers(2).uniform<T, Heads, keys, 9>();
        const auto k = reshape<Heads, keys, Depth>(permute<0, 1, 3, 2>(in_blocks));
        const auto offset = static_cast<std::ptrdiff_t>(length) - static_cast<std::ptrdiff_t>(Rows);
        options.keep = [=](const reference::index&, std::size_t query, std::size_t key) {
            return static_cast<std::ptrdiff_t>(key) <= static_cast<std::ptrdiff_t>(query) + offset;
        };
        expect_near(eval(attention(q, k, v, causal_at(offset))), expected(k, v), tolerance);
        for (std::size_t head = 0; head < Heads; ++head)
            for (std::size_t key = length; key < keys; ++key) {
                v[head][key] = std::numeric_limits<T>::quiet_NaN();
                for (std::size_t d = 0; d < Depth; ++d)
                    in_blocks(head, key / Block, d, key % Block) = std::numeric_limits<T>::quiet_NaN();
            }
        options.keep = [=](const reference::index&, std::size_t, std::size_t key) { return key < length; };
        expect_near(eval(attention(q, k, v, keys_below(length))), expected(k, v), tolerance);
    }
}

}  // namespace

TEST(column_blocks, attention_to_keys_in_blocks) {
    attend<float, 2, 2, 4, 64, 16, 1>();
    attend<float, 6, 2, 3, 16, 7, 2>();
    attend<double, 2, 2, 2, 48, 5, 33>();
}

// A product with adjacent heads: a weight [heads, depth, width] as the matrix [depth, heads * width].
TEST(column_blocks, weights_of_heads) {
    const auto w = random_numbers(4).uniform<float, 3, 20, 32>();
    const auto x = random_numbers(5).uniform<float, 11, 20>();
    const auto side_by_side = reshape<20, 96>(permute<1, 0, 2>(w));
    const auto plain = of(tensor<float, 20, 96>(side_by_side)), product = reference::matmul(of(x), plain);
    static_assert(workspace_bytes<decltype(matmul(x, side_by_side))> == 0);
    expect_near(eval(matmul(x, side_by_side)), product, 1e-6);
    expect_near(eval(let(side_by_side, [&](const auto& m) { return matmul(x, m) - sum<0>(m); })),
                reference::zip(product, reference::reduce(plain, 0, false, reference::sum), std::minus<>()), 1e-5);
}

// Where the blocks are no whole registers or their place is known at run time only, a copy is as right.
TEST(column_blocks, other_blocks_are_copied) {
    const auto x = random_numbers(7).uniform<float, 11, 20>();
    const auto check = [&](const auto& w) {
        const auto plain = of(detail::constant_evaluate(w));
        expect_near(eval(matmul(x, w)), reference::matmul(of(x), plain), 1e-6);
    };
    const auto narrow = random_numbers(6).uniform<float, 3, 20, 7>();
    check(reshape<20, 21>(permute<1, 0, 2>(narrow)));
    const auto wide = random_numbers(8).uniform<float, 2, 20, 64>();
    check(slice<1, 5, 101>(reshape<20, 128>(permute<1, 0, 2>(wide))));
}
