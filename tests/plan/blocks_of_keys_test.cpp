// SPDX-License-Identifier: BSL-1.0
// When attention takes its keys block by block, and in blocks of which size: by the second cache, the registers and the
// order in which keys lie.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/machines.hpp"

namespace {

using namespace ashlar;
using support::machines::avx2_sets, support::machines::avx512_sets, support::machines::built_for;

template <std::size_t L2KiB>
using avx2_with = built_for<avx2_sets, 256, 16, 32 * 1024, L2KiB * 1024>;
template <std::size_t L2KiB>
using avx512_with = built_for<(avx512_sets | 1u << 9), 512, 32, 32 * 1024, L2KiB * 1024>;

template <std::size_t Queries, std::size_t Keys>
using attends = decltype(attention(std::declval<tensor<float, Queries, 16>&>(),
                                   std::declval<tensor<float, Keys, 16>&>(), std::declval<tensor<float, Keys, 16>&>()));

/// Keys of a block; all of them where there is no loop over blocks.
template <class E, class Config>
constexpr std::size_t block_of(std::size_t keys) {
    const auto& code = detail::planned<E, Config>::code;
    for (std::size_t l = 0; l < code.loop_count; ++l)
        if (code.loops[l].keys) keys = code.loops[l].tile;
    return keys;
}
template <std::size_t Queries, std::size_t Keys, class Config>
constexpr std::size_t block = block_of<attends<Queries, Keys>, Config>(Keys);

// With 16 registers from a quarter of the second cache on, which 32 rows of floats reach at these keys.
TEST(blocks_of_keys, begin_at_a_quarter_of_the_second_cache) {
    static_assert(block<32, 1008, avx2_with<512>> == 1008);
    static_assert(block<32, 1024, avx2_with<512>> == 512);
    static_assert(block<32, 1024, avx2_with<1024>> == 1024);
    static_assert(block<32, 2048, avx2_with<1024>> == 1024);
}
// With 32 registers beyond a half of it.
TEST(blocks_of_keys, begin_later_with_more_registers) {
    static_assert(block<32, 2048, avx512_with<512>> == 2048);
    static_assert(block<32, 2064, avx512_with<512>> < 2064);
    static_assert(block<32, 4096, avx512_with<1024>> == 4096);
}
// One query: scores of a row, of which a cache holds more.
TEST(blocks_of_keys, count_the_rows_of_a_tile) {
    static_assert(block<1, 16384, avx2_with<512>> == 16384);
    static_assert(block<1, 32768, avx2_with<512>> < 32768);
    static_assert(block<8, 4080, avx2_with<512>> == 4080);
    static_assert(block<8, 4096, avx2_with<512>> < 4096);
    // More rows than a tile has count as those of a tile.
    static_assert(block<512, 1008, avx2_with<512>> == 1008);
}
// Near-equal blocks of whole groups of keys, whose scores take no more than an eighth of the second cache.
TEST(blocks_of_keys, are_near_equal) {
    constexpr detail::machine target = detail::machine_of<avx2_with<512>>;
    const auto keys = [&](std::size_t all, std::size_t row_bytes, std::size_t column_block = 0) {
        return detail::keys_of_block(all, row_bytes, column_block, target);
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
// Where keys lie in blocks of columns, a block of keys is whole ones of them, or all keys.
TEST(blocks_of_keys, are_whole_blocks_of_columns) {
    constexpr detail::machine target = detail::machine_of<avx2_with<512>>;
    EXPECT_EQ(detail::keys_of_block(1056, 32 * 4, 24, target), 384u);
    EXPECT_EQ(detail::keys_of_block(1040, 32 * 4, 24, target), 1040u) << "columns that are no whole blocks";
}

}  // namespace
