// SPDX-License-Identifier: BSL-1.0
// Windows whose edges cross tiles, and edges behind more than a scale.
#include <tests/support/mask_edges.hpp>

namespace {

using namespace ashlar;
using support::check;
using support::check_edge;

template <std::ptrdiff_t Left, std::ptrdiff_t Right>
void check_window() {
    check_edge<float, 48, 48, 16>(sliding_window<Left, Right>,
                                  [](std::ptrdiff_t d) { return -Left <= d && d <= Right; });
}

TEST(attention_windows, narrower_than_a_block) { check_window<1, 0>(); }
TEST(attention_windows, ahead) { check_window<20, -9>(); }
TEST(attention_windows, empty) { check_window<2, -3>(); }
TEST(attention_windows, in_ragged_tiles) {
    for (const std::size_t n : {0u, 20u, 61u})
        check_edge<float, 43, 61, 6>(sliding_window<24, 8> && keys_below(n),
                                     [](std::ptrdiff_t d) { return -24 <= d && d <= 8; });
}

/// Scores that pass through more than a scale before the mask, and weights that are read elsewhere.
TEST(attention_windows, what_stands_before_the_mask) {
    support::random_numbers random(8);
    const auto q = random.normal<float, 48, 8>();
    const auto k = random.normal<float, 48, 8>();
    const auto added = random.normal<float, 48, 48>();
    check(attention(q, k, k, causal, softcap(2.0f), bias(added)));
    check(attention_weights(q, k, sliding_window<9, 3>));
    check(matmul(exp(masked(matmul(q, transpose(k)), causal)), k));
}

}  // namespace
