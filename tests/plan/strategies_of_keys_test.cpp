// SPDX-License-Identifier: BSL-1.0
// Attention in blocks of keys: when plans have them, how large they are, and what scratch is then.
#include <string_view>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "plan/program_check.hpp"
#include "support/machines.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using support::x;

template <std::size_t Queries, std::size_t Keys, std::size_t Values = 64>
auto attend(const auto&... options) {
    return attention(x<Queries, 64>(), x<Keys, 64>(), x<Keys, Values>(), options...);
}

/// Keys of a block; 0 if all are taken at once.
template <class Machine, class E>
constexpr std::size_t block_of(const E&) {
    constexpr const auto& code = detail::planned<E, Machine>::code;
    for (std::size_t l = 0; l < code.loop_count; ++l)
        if (code.loops[l].keys) return code.loops[l].tile;
    return 0;
}
template <class Machine, class E>
constexpr std::size_t scratch_of(const E&) {
    return workspace_bytes<E, 1, Machine>;
}

TEST(strategies_of_keys, where_scores_compete_for_the_second_cache) {
    EXPECT_EQ(block_of<avx2>(attend<64, 960>()), 0);
    EXPECT_EQ(block_of<avx2>(attend<64, 1024>()), 128) << "of 128 of 512 KiB, in blocks of half of the L1";
    EXPECT_EQ((block_of<built_for<avx2_sets, 256, 16, 32 * 1024, 1024 * 1024>>(attend<64, 1024>())), 0);
    EXPECT_EQ(block_of<avx512>(attend<64, 1920>()), 0) << "larger register blocks read keys and values less often";
    EXPECT_EQ(block_of<avx512>(attend<64, 2048>()), 512) << "scores of all of the stack budget";
    EXPECT_EQ(block_of<avx512>(attend<64, 2064>()), 416) << "five of up to 512";
    EXPECT_EQ(block_of<sse2>(attend<64, 2048>()), 128);
    EXPECT_EQ(block_of<avx2>(attend<8, 2048>()), 0) << "few rows have few scores";
    EXPECT_EQ(block_of<avx2>(attend<8, 4096>()), 512);
}
TEST(strategies_of_keys, near_equal_blocks) {
    EXPECT_EQ(block_of<avx2>(attend<64, 1500>()), 128);
    EXPECT_EQ(block_of<avx2>(attend<64, 1540>()), 128) << "thirteen; the last one begins early";
    EXPECT_EQ(block_of<avx2>(attend<1, 100'000>()), 4'000) << "25 of up to 4,096";
    EXPECT_EQ(block_of<avx2>(attend<64, 8192>(causal)), 256) << "of masked scores the L1 is full";
    EXPECT_EQ((block_of<built_for<avx2_sets, 256, 16, 128 * 1024, 256 * 1024>>(attend<64, 1024>())), 256)
        << "no more than an eighth of the L2";
}
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
    const auto text = explain<std::remove_const_t<decltype(e)>, avx2>(e);
    const std::string_view shown(text.c_str());
    EXPECT_NE(shown.find("for every 224 of 1,540 keys, with a running maximum, some of them twice"), shown.npos);
    EXPECT_NE(shown.find(" = max so far"), shown.npos);
    EXPECT_NE(shown.find(" = sum so far, at the end = 1 / sum"), shown.npos);
    EXPECT_NE(shown.find(" + sums of the block"), shown.npos);
    EXPECT_EQ(std::string_view(explain<decltype(attend<64, 512>()), avx2>(attend<64, 512>()).c_str()).find("running"),
              std::string_view::npos);
}
// One query of a long cache is one step without a batch.
TEST(strategies_of_keys, numbers_of_a_plan) {
    constexpr const auto& one = plan<decltype(attend<1, 100'000>()), avx2>;
    static_assert(one.step_count == 1 && one.steps[0].batch_loops == 0 && one.steps[0].inner_loops == 1);
    static_assert(one.steps[0].scratch_bytes <= one.scratch_bytes && one.scratch_bytes < 18 * 1024);
    static_assert(one.flops == flops<decltype(attend<1, 100'000>())>);
}

}  // namespace
