// SPDX-License-Identifier: BSL-1.0
// Attention within blocks of positions: blocks smaller and larger than a tile, edges inside tiles, NaN outside.
// Composed masks.
#include <limits>

#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

template <std::size_t Size, std::size_t Queries, std::size_t Keys>
void check_blocks(auto mask) {
    support::random_numbers random(7);
    const auto q = random.normal<float, Queries, 16>();
    auto k = random.normal<float, Keys, 16>(), v = random.normal<float, Keys, 16>();
    const auto e = attention(q, k, v, mask);
    check(e);
    // Keys that no query keeps.
    constexpr std::size_t first = (Queries + Size - 1) / Size * Size;
    for (std::size_t j = first; j < Keys; ++j) k(j, 0) = v(j, 0) = std::numeric_limits<float>::quiet_NaN();
    check(e);
}

TEST(attention_blocks, around_a_register) {
    check_blocks<1, 5, 9>(block_diagonal<1>);
    check_blocks<7, 43, 61>(block_diagonal<7>);
}
TEST(attention_blocks, around_a_tile) {
    check_blocks<24, 64, 128>(block_diagonal<24>);
    check_blocks<64, 130, 200>(causal && block_diagonal<64>);
}

TEST(attention, composed_masks) {
    support::random_numbers random(2);
    const auto q = random.normal<float, 48, 8>(), k = random.normal<float, 48, 8>(), v = random.normal<float, 48, 8>();
    check(attention(q, k, v, !block_diagonal<7> || keys_below(2)));
    check(softmax(masked(matmul(q, transpose(k)), causal_at<3>() && block_diagonal<7> && keys_below(47))));
    check(attention(q, k, v, sliding_window<20, 0> && causal));
    check(attention(q, k, v, !(causal && !keys_below(4))));
    check(attention(q, k, v, ignore(random.truths<48>(0.5))));
}

// Blocks outside the diagonal take no multiply-adds.
constexpr auto scores_of = [](auto mask) {
    using rows = tensor<float, 128, 16>;
    return flops<decltype(attention(rows{}, rows{}, rows{}, mask))>;
};
static_assert(scores_of(block_diagonal<16>) * 7 < scores_of(keys_below(128)));

}  // namespace
