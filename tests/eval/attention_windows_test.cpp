// SPDX-License-Identifier: BSL-1.0
// Windows whose edges cross tiles, and edges behind more than a scale.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

/// Keys and values that no query keeps are NaN.
template <class T, std::size_t Queries, std::size_t Keys, std::size_t Depth, class Mask, class Keeps>
void check_edge(const Mask& mask, Keeps keeps) {
    support::random_numbers random(7);
    const auto q = random.normal<T, Queries, Depth>();
    auto k = random.normal<T, Keys, Depth>();
    auto v = random.normal<T, Keys, Depth + 2>();
    for (std::size_t j = 0; j < Keys; ++j) {
        bool kept = false;
        for (std::size_t i = 0; i < Queries; ++i) kept = kept || keeps(static_cast<std::ptrdiff_t>(j) - static_cast<std::ptrdiff_t>(i));
        for (std::size_t d = 0; !kept && d < Depth; ++d) k(j, d) = v(j, d) = std::numeric_limits<T>::quiet_NaN();
    }
    check(attention(q, k, v, mask));
    // Some queries keep this value, most do not: it must not reach them.
    v(Keys / 2, 0) = std::numeric_limits<T>::infinity();
    check(attention(q, k, v, mask));
}

template <std::ptrdiff_t Left, std::ptrdiff_t Right>
void check_window() {
    check_edge<float, 64, 64, 16>(sliding_window<Left, Right>, [](std::ptrdiff_t d) { return -Left <= d && d <= Right; });
}

TEST(attention_windows, wide) { check_window<19, 0>(); }
TEST(attention_windows, narrower_than_a_block) { check_window<1, 0>(); }
TEST(attention_windows, ahead) { check_window<20, -9>(); }
TEST(attention_windows, empty) { check_window<2, -3>(); }
TEST(attention_windows, in_ragged_tiles) {
    for (const std::size_t n : {0u, 20u, 61u})
        check_edge<float, 43, 61, 6>(sliding_window<24, 8> && keys_below(n), [](std::ptrdiff_t d) { return -24 <= d && d <= 8; });
}

/// Scores that pass through more than a scale before they are masked, and weights that are asked for.
TEST(attention_windows, what_stands_before_the_mask) {
    support::random_numbers random(8);
    const auto q = random.normal<float, 48, 8>();
    const auto k = random.normal<float, 48, 8>();
    const auto v = random.normal<float, 48, 12>();
    const auto added = random.normal<float, 48, 48>();
    check(attention(q, k, v, causal, softcap(2.0f), bias(added)));
    check(attention_weights(q, k, sliding_window<9, 3>));
    check(matmul(exp(masked(matmul(q, transpose(k)), causal)), v));
    check(sum<-1>(softmax(masked(matmul(q, transpose(k)), causal_at<5>()))));
}

}  // namespace
