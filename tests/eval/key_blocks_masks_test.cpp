// SPDX-License-Identifier: BSL-1.0
// Attention in blocks of keys: masks that keep nothing of blocks, of rows or of everything, and operations between
// scores and softmax.
#include <cmath>
#include <limits>

#include <tests/support/key_blocks.hpp>

namespace {

using namespace support::key_blocks;

constexpr bool first_two(std::size_t, std::size_t j) { return j < 2; }

constexpr std::size_t queries = 35, keys = 71;
const auto q = numbers<queries, 16>(1);
const auto k = numbers<keys, 16>(2);
const auto v = numbers<keys, 24>(3);

/// Masks of all kinds: bands, tensors, those that keep nothing of the first block, of some rows.
TEST(key_blocks, masks) {
    check(attention(q, k, v, sliding_window<-17, 30>));
    check(attention(q, k, v, !causal));
    check(attention(q, k, v, sliding_window<4, 0> || keep_if<first_two>));
    tensor<bool, queries, keys> some{};
    for (std::size_t i = 0; i < queries; ++i)
        for (std::size_t j = 0; j < keys; ++j)
            some(i, j) = i % 7 != 3 && j >= 16 && (j >= 32 ? (i * j) % 5 < 2 : i > 20);
    check(attention(q, k, v, keep(some)));
}

/// Operations between scores and softmax.
TEST(key_blocks, biases_and_scales) {
    const auto added = numbers<queries, keys>(4);
    check(attention(q, k, v, causal_at<20>(), bias(added), softcap(2.0f)));
    check(matmul(softmax(masked(matmul(q, transpose(k)) * 0.3f + added, causal_at<36>())), v) * 2.0f +
          numbers<queries, 24>(5));
}

/// Scores that grow from block to block, so that what was summed before shrinks to nothing, and scores that fall.
TEST(key_blocks, the_running_maximum) {
    auto signs = q;
    auto growing = k;
    for (std::size_t i = 0; i < queries; ++i) signs(i, 0) = i % 2 == 0 ? 8 : -8;
    for (std::size_t j = 0; j < keys; ++j) growing(j, 0) = static_cast<float>(j);
    check(attention(signs, growing, v), 1e-5);
    check(attention(signs, growing, v, keys_below(keys)), 1e-5);
}

/// Nothing is read of what is excluded, and a key that the last block has again counts once.
TEST(key_blocks, nan_where_nothing_is_kept) {
    for (const std::size_t n : {0u, 1u, 16u, 40u, 56u, 63u, 66u, 70u}) {
        auto some = k;
        auto values = v;
        for (std::size_t j = n; j < keys; ++j) {
            some[j] = std::numeric_limits<float>::quiet_NaN();
            for (std::size_t c = 0; c < 24; ++c) values(j, c) = c % 2 == 0 ? some(j, 0) : HUGE_VALF;
        }
        check(attention(q, some, values, keys_below(n)));
    }
}

/// An infinite value of a key that the last block has again is not multiplied by nothing.
TEST(key_blocks, infinite_values) {
    auto values = v;
    values(57, 3) = HUGE_VALF;
    const auto full = evaluated<small>(attention(q, k, values), std::source_location::current()),
               masked = evaluated<small>(attention(q, k, values, keys_below(70)), std::source_location::current());
    for (std::size_t i = 0; i < queries; ++i) {
        EXPECT_EQ(full(i, 3), HUGE_VALF);
        EXPECT_EQ(masked(i, 3), HUGE_VALF);
        EXPECT_LT(std::abs(full(i, 4)), 10.0f);
    }
}

}  // namespace
