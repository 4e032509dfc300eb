// SPDX-License-Identifier: BSL-1.0
// When attention runs block by block of keys, and the size of the blocks: by the second cache, the registers and the
// order of keys in memory.
#include <gtest/gtest.h>

#include "support/plans.hpp"

namespace {

using namespace ashlar;
using support::machines::avx2_sets, support::machines::avx512_sets, support::machines::built_for;

template <std::size_t L2KiB>
using avx2_with = built_for<avx2_sets, 256, 16, 32 * 1024, L2KiB * 1024>;
template <std::size_t BudgetKiB>
using avx2_within =
    build_config<avx2_sets, 256, 16, BudgetKiB * 1024, 32 * 1024, 512 * 1024, false, ASHLAR_FAST_MATH != 0, false>;
template <std::size_t L2KiB, std::size_t BudgetKiB = 1024>
using avx512_with = build_config<(avx512_sets | 1u << 9), 512, 32, BudgetKiB * 1024, 32 * 1024, L2KiB * 1024, false,
                                 ASHLAR_FAST_MATH != 0, false>;

template <std::size_t Queries, std::size_t Keys>
using attends = decltype(attention(std::declval<tensor<float, Queries, 16>&>(),
                                   std::declval<tensor<float, Keys, 16>&>(), std::declval<tensor<float, Keys, 16>&>()));

/// Keys of a block; all keys without a loop over blocks.
template <class E, class Config>
constexpr std::size_t block_of(std::size_t keys) {
    return support::keys_of_block<Config, E>(keys);
}
template <std::size_t Queries, std::size_t Keys, class Config>
constexpr std::size_t block = block_of<attends<Queries, Keys>, Config>(Keys);

// With 16 registers from a quarter of the second cache on, which 32 rows of floats reach at these keys.
TEST(blocks_of_keys, begin_at_a_quarter_of_the_second_cache) {
    static_assert(block<32, 1008, avx2_with<512>> == 1008);
    static_assert(block<32, 1024, avx2_with<512>> == 128);
    static_assert(block<32, 1024, avx2_with<1024>> == 1024);
}
// With 32 registers beyond a half of it.
TEST(blocks_of_keys, begin_later_with_more_registers) {
    static_assert(block<32, 2048, avx512_with<512>> == 2048);
    static_assert(block<32, 2064, avx512_with<512>> < 2064);
}
// Or where scores leave little of the stack budget for what else is in scratch: with a budget of a half of the second
// cache, 2,048 keys would be the only ones that need a workspace.
TEST(blocks_of_keys, begin_at_the_stack_budget) {
    static_assert(block<32, 1920, avx512_with<512, 256>> == 1920);
    static_assert(block<32, 1936, avx512_with<512, 256>> < 1936);
    static_assert(block<32, 2048, avx512_with<512, 256>> == 512);
    for (const std::size_t bytes : {workspace_bytes<attends<32, 1920>, 1, avx512_with<512, 256>>,
                                    workspace_bytes<attends<32, 2048>, 1, avx512_with<512, 256>>,
                                    workspace_bytes<attends<32, 2064>, 1, avx512_with<512, 256>>})
        EXPECT_LE(bytes, 256u * 1024);
    // With 16 registers blocks take less.
    static_assert(block<32, 512, avx2_with<512>> == 512);
    static_assert(block<32, 512, avx2_within<64>> == 128);
    static_assert(workspace_bytes<attends<32, 100000>, 1, avx2_within<64>> < 64 * 1024);
    // Blocks that would not fit either are none.
    static_assert(block<32, 1024, avx512_with<512, 64>> == 1024);
}
// What is counted is scratch: five rows take that of a line of eight, 17 that of two registers.
TEST(blocks_of_keys, count_rows_as_they_lie) {
    static_assert(block<5, 100000, avx2_with<512>> <= 32 * 1024 / 2 / (8 * 4));
    static_assert(block<17, 100000, avx512_with<512>> <= 512 * 1024 / 8 / (32 * 4));
    static_assert(workspace_bytes<attends<17, 100000>, 1, avx512_with<512>> < 88 * 1024);
    static_assert(workspace_bytes<attends<5, 100000>, 1, avx2_with<512>> < 88 * 1024);
}
// A single number of each value: dot products with the weights of all keys, as long as those are few.
TEST(blocks_of_keys, values_of_one_number) {
    using few = decltype(attention(std::declval<tensor<float, 1, 16>&>(), std::declval<tensor<float, 1000, 16>&>(),
                                   std::declval<tensor<float, 1000, 1>&>()));
    using many = decltype(attention(std::declval<tensor<float, 1, 16>&>(), std::declval<tensor<float, 100000, 16>&>(),
                                    std::declval<tensor<float, 100000, 1>&>()));
    static_assert(block_of<few, avx2_with<512>>(1000) == 1000);
    static_assert(block_of<many, avx2_with<512>>(100000) == 4000);
    static_assert(workspace_bytes<many, 1, avx2_with<512>> < 88 * 1024);
}
// One query: the cache holds more scores of a row.
TEST(blocks_of_keys, count_the_rows_of_a_tile) {
    static_assert(block<1, 16384, avx2_with<512>> == 16384);
    static_assert(block<1, 32768, avx2_with<512>> < 32768);
    static_assert(block<8, 4096, avx2_with<512>> < 4096);
    // More rows than a tile has count as those of a tile.
    static_assert(block<512, 1008, avx2_with<512>> == 1008);
}
// Near-equal blocks of whole groups of keys, whose scores take no more than an eighth of the second cache.
TEST(blocks_of_keys, are_near_equal) {
    constexpr detail::machine target = detail::machine_of<avx512_with<512>>;
    const auto keys = [&](std::size_t all, std::size_t row_bytes, std::size_t column_block = 0) {
        return detail::keys_of_block(all, row_bytes, column_block, false, target);
    };
    EXPECT_EQ(keys(1024, 32 * 4), 512u);
    EXPECT_EQ(keys(1040, 32 * 4), 352u) << "three blocks, not two and a rest of 16";
    EXPECT_EQ(keys(512, 32 * 4), 512u) << "all of them";
    EXPECT_EQ(keys(100000, 4), 14288u);
    for (std::size_t all = 513; all < 5000; all += 37) {
        EXPECT_EQ(keys(all, 32 * 4) % detail::key_group, 0u) << all;
        EXPECT_LE(keys(all, 32 * 4) * 32 * 4, 512u * 1024 / 8) << all;
    }
}
// With 16 registers their scores leave half of the first cache to others; a mask, which ends some rows early, none.
TEST(blocks_of_keys, stay_in_the_first_cache) {
    constexpr detail::machine target = detail::machine_of<avx2_with<512>>;
    for (const bool masked : {false, true})
        for (std::size_t all = 513; all < 5000; all += 37) {
            const std::size_t size = detail::keys_of_block(all, 32 * 4, 0, masked, target);
            EXPECT_EQ(size % detail::key_group, 0u) << all;
            EXPECT_LE(size * 32 * 4, target.l1_bytes / (masked ? 1 : 2)) << all;
            EXPECT_GT(size * 32 * 4, target.l1_bytes / (masked ? 2 : 4)) << all;
        }
    EXPECT_EQ(detail::block_bytes(false, detail::machine_of<avx2_with<64>>), 64u * 1024 / 8) << "of a small L2";
}
// If keys are in blocks of columns, a block of keys is several whole ones of them, or all keys.
TEST(blocks_of_keys, are_whole_blocks_of_columns) {
    constexpr detail::machine target = detail::machine_of<avx512_with<512>>;
    EXPECT_EQ(detail::keys_of_block(1056, 32 * 4, 24, false, target), 384u);
    EXPECT_EQ(detail::keys_of_block(1040, 32 * 4, 24, false, target), 1040u) << "columns that are no whole blocks";
}

}  // namespace
