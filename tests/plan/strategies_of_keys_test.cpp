// SPDX-License-Identifier: BSL-1.0
// Attention in blocks of keys: scratch, programs, text, and when keys are taken at once. Sizes: blocks_of_keys_test.
#include <gtest/gtest.h>

#include "plan/program_check.hpp"
#include "support/plans.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using support::x;

template <std::size_t Queries, std::size_t Keys, std::size_t Values = 64>
auto attend(const auto&... options) {
    return attention(x<Queries, 64>(), x<Keys, 64>(), x<Keys, Values>(), options...);
}

template <class Machine, class E>
constexpr std::size_t block_of(const E&) {
    return support::keys_of_block<Machine, E>();
}
template <class Machine, class E>
constexpr std::size_t scratch_of(const E&) {
    return workspace_bytes<E, 1, Machine>;
}

TEST(strategies_of_keys, of_masked_scores_the_l1_is_full) { EXPECT_EQ(block_of<avx2>(attend<64, 8192>(causal)), 256u); }
TEST(strategies_of_keys, scratch_is_bounded) {
    EXPECT_EQ(scratch_of<avx2>(attend<64, 2048>()), scratch_of<avx2>(attend<64, 1'048'576>()));
    EXPECT_EQ(scratch_of<avx512>(attend<64, 4096>(causal)), scratch_of<avx512>(attend<64, 16384>(causal)));
    EXPECT_LT(scratch_of<avx2>(attend<64, 2048>()), 36u * 1024);
    EXPECT_LT(scratch_of<avx2>(attend<1, 1'000'000>()), 18u * 1024);
    EXPECT_LT(scratch_of<avx512>(attend<4, 1'000'000>(keys_below(5))), 80u * 1024);
    EXPECT_LT(scratch_of<sse2>(attend<64, 8192, 4>()), 80u * 1024) << "values with their rows in lanes";
}
TEST(strategies_of_keys, in_columns_that_lie_in_blocks) {
    const auto keys = [](auto blocks) {
        constexpr std::size_t n = decltype(blocks)::value;
        return reshape<64 * n, 64>(permute<0, 2, 1>(x<n, 64, 64>()));
    };
    const auto cached = attention(x<1, 64>(), keys(std::integral_constant<std::size_t, 1000>{}), x<64'000, 64>());
    EXPECT_EQ(block_of<avx2>(cached) % 64, 0);
    EXPECT_GT(block_of<avx2>(cached), 0);
}
// A reader of all weights, or keys in panels, needs all scores.
TEST(strategies_of_keys, all_at_once) {
    static tensor<float, 64, 2048> weights;
    EXPECT_EQ(block_of<avx2>(matmul(store(weights, attention_weights(x<64, 64>(), x<2048, 64>())), x<2048, 64>())), 0);
    EXPECT_EQ(block_of<avx2>(attention_weights(x<64, 64>(), x<2048, 64>())), 0);
    EXPECT_EQ(block_of<avx2>(matmul(log_softmax(matmul(x<64, 64>(), x<64, 2048>())), x<2048, 64>())), 0);
    static packed<float, 64, 2048> panels;
    EXPECT_EQ(block_of<avx2>(matmul(softmax(matmul(x<64, 64>(), panels)), x<2048, 64>())), 0);
}
TEST(strategies_of_keys, sound_programs) {
    support::expect_sound(support::checked<avx2>(attend<70, 1540>(causal)), std::source_location::current());
    support::expect_sound(support::checked<avx512>(attend<70, 2500>()), std::source_location::current());
    support::expect_sound(support::checked<avx2>(attend<1, 100'000>()), std::source_location::current());
}
TEST(strategies_of_keys, text) {
    const auto e = attend<64, 1540>(causal);
    for (const char* part : {"for every 224 of 1,540 keys, with a running maximum, some of them twice", " = max so far",
                             " = sum so far, at the end = 1 / sum", " + sums of the block"})
        EXPECT_TRUE(support::shows<avx2>(e, part)) << part;
    EXPECT_FALSE(support::shows<avx2>(attend<64, 512>(), "running"));
}
// One query of a long cache is one step without a batch.
TEST(strategies_of_keys, numbers_of_a_plan) {
    constexpr const auto& one = plan<decltype(attend<1, 100'000>()), avx2>;
    static_assert(one.step_count == 1 && one.steps[0].batch_loops == 0 && one.steps[0].inner_loops == 1);
    static_assert(one.steps[0].scratch_bytes <= one.scratch_bytes && one.scratch_bytes < 18 * 1024);
    static_assert(one.flops == flops<decltype(attend<1, 100'000>())>);
}

}  // namespace
