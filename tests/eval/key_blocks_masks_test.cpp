// SPDX-License-Identifier: BSL-1.0
// Attention in blocks of keys: masks that keep nothing of blocks, of rows or of everything, and operations between
// scores and softmax.
#include <cmath>
#include <limits>

#include <tests/support/key_blocks.hpp>

namespace {

using namespace support::key_blocks;

constexpr bool scattered(std::size_t i, std::size_t j) { return j >= 20 && (i + j) % 3 != 0; }
constexpr bool some_rows(std::size_t i, std::size_t) { return i % 5 != 0; }
constexpr bool first_two(std::size_t, std::size_t j) { return j < 2; }

/// Masks of all kinds: bands, tensors, those that keep nothing of the first block, of some rows, of all.
TEST(key_blocks, masks) {
    constexpr std::size_t queries = 35, keys = 71;
    const auto q = numbers<queries, 16>(1);
    const auto k = numbers<keys, 16>(2);
    const auto v = numbers<keys, 24>(3);
    check(attention(q, k, v, sliding_window<20, 3>));
    check(attention(q, k, v, sliding_window<-17, 30>));
    check(attention(q, k, v, sliding_window<2, -3>));
    check(attention(q, k, v, causal_at<30>() && keys_below(50)));
    check(attention(q, k, v, !causal));
    check(attention(q, k, v, keep_if<scattered>));
    check(attention(q, k, v, keep_if<some_rows>));
    check(attention(q, k, v, sliding_window<4, 0> || keep_if<first_two>));
    tensor<bool, queries, keys> some{};
    for (std::size_t i = 0; i < queries; ++i)
        for (std::size_t j = 0; j < keys; ++j) some(i, j) = i % 7 != 3 && (j > 18 ? (i * j) % 5 < 2 : i > 20);
    check(attention(q, k, v, keep(some)));
    check(attention(q, k, v, keep(some) && causal_at<30>()));
}

/// Operations between scores and softmax.
TEST(key_blocks, biases_and_scales) {
    constexpr std::size_t queries = 35, keys = 71;
    const auto q = numbers<queries, 16>(1);
    const auto k = numbers<keys, 16>(2);
    const auto v = numbers<keys, 24>(3);
    const auto added = numbers<queries, keys>(4);
    check(attention(q, k, v, bias(added)));
    check(attention(q, k, v, causal_at<20>(), bias(added), softcap(2.0f)));
    check(matmul(softmax(masked(matmul(q, transpose(k)) * 0.3f + added, causal_at<36>())), v) * 2.0f +
          numbers<35, 24>(5));
}

/// Scores that grow from block to block, so that what was summed before shrinks to nothing, and scores that fall.
TEST(key_blocks, the_running_maximum) {
    auto q = numbers<33, 16>(1);
    auto k = numbers<71, 16>(2);
    const auto v = numbers<71, 24>(3);
    for (std::size_t i = 0; i < 33; ++i) q(i, 0) = i % 2 == 0 ? 8 : -8;
    for (std::size_t j = 0; j < 71; ++j) k(j, 0) = static_cast<float>(j);
    check(attention(q, k, v), 1e-5);
    check(attention(q, k, v, causal_at<30>()), 1e-5);
}

/// Nothing is read of what is excluded, and a key that the last block has again counts once.
TEST(key_blocks, nan_where_nothing_is_kept) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const auto q = numbers<35, 16>(1);
    for (const std::size_t n : {0u, 1u, 16u, 40u, 56u, 63u, 66u, 70u}) {
        auto k = numbers<71, 16>(2);
        auto v = numbers<71, 24>(3);
        for (std::size_t j = n; j < 71; ++j) {
            for (std::size_t c = 0; c < 16; ++c) k(j, c) = nan;
            for (std::size_t c = 0; c < 24; ++c) v(j, c) = c % 2 == 0 ? nan : std::numeric_limits<float>::infinity();
        }
        check(attention(q, k, v, keys_below(n)));
        check(attention(q, k, v, keys_below(n) && sliding_window<20, 30>));
    }
}

/// An infinite value of a key that the last block has again is not multiplied by nothing.
TEST(key_blocks, infinite_values) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto q = numbers<35, 16>(1);
    const auto k = numbers<71, 16>(2);
    auto v = numbers<71, 24>(3);
    v(57, 3) = infinity;
    const auto full = evaluated<small>(attention(q, k, v), std::source_location::current()),
               masked = evaluated<small>(attention(q, k, v, keys_below(70)), std::source_location::current());
    for (std::size_t i = 0; i < 35; ++i) {
        EXPECT_EQ(full(i, 3), infinity);
        EXPECT_EQ(masked(i, 3), infinity);
        EXPECT_LT(std::abs(full(i, 4)), 10.0f);
    }
}

}  // namespace
