// SPDX-License-Identifier: BSL-1.0
// Attention within blocks of positions: blocks smaller and larger than a tile, edges inside tiles, NaN outside.
#include <limits>

#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

template <std::size_t Size, std::size_t Queries, std::size_t Keys>
void check_blocks() {
    support::random_numbers random(7);
    const auto q = random.normal<float, Queries, 16>();
    auto k = random.normal<float, Keys, 16>();
    auto v = random.normal<float, Keys, 18>();
    check(attention(q, k, v, block_diagonal<Size>));
    check(attention(q, k, v, causal && block_diagonal<Size>));
    if constexpr (Size == 7 || Size == 64) {
        check(attention(q, k, v, causal_at<3>() && block_diagonal<Size>));
        check(attention(q, k, v, !block_diagonal<Size> || keys_below(2)));
        check(softmax(masked(matmul(q, transpose(k)), block_diagonal<Size> && keys_below(Keys - 1))));
    }
    // Keys that no query keeps.
    constexpr std::size_t first = (Queries + Size - 1) / Size * Size;
    for (std::size_t j = first; j < Keys; ++j) k(j, 0) = v(j, 0) = std::numeric_limits<float>::quiet_NaN();
    check(attention(q, k, v, block_diagonal<Size>));
}

TEST(attention_blocks, around_a_register) {
    check_blocks<1, 5, 9>();
    check_blocks<7, 43, 61>();
}
TEST(attention_blocks, around_a_tile) {
    check_blocks<24, 61, 128>();
    check_blocks<64, 130, 200>();
}

// Blocks outside the diagonal take no multiply-adds.
constexpr auto scores_of = [](auto mask) {
    using rows = tensor<float, 128, 16>;
    return flops<decltype(attention(rows{}, rows{}, rows{}, mask))>;
};
static_assert(scores_of(block_diagonal<16>) * 7 < scores_of(keys_below(128)));

}  // namespace
