// SPDX-License-Identifier: BSL-1.0
// The cut of products into register blocks: constants per architecture, and laws that hold for all of them.
#include <cstddef>

#include <gtest/gtest.h>

#include <ashlar/kernel/product/register_block.hpp>

#include "support/machines.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

using namespace support::machines;

// Blocks that divide a granule, where it divides the rows.
constexpr bool divides_granule(std::size_t rows, std::size_t vectors, std::size_t granule, const machine& m) {
    const register_block block = choose_register_block(rows, vectors, 64, m, granule);
    return block.rows.large_blocks == block.rows.blocks && granule % block.rows.large == 0 &&
           fits_registers(block.rows.large, block.vectors.large, m);
}
static_assert(divides_granule(64, 2, 16, machine_of<avx512>) && divides_granule(32, 4, 4, machine_of<avx512>));
static_assert(divides_granule(48, 3, 8, machine_of<avx2>) && divides_granule(16, 1, 16, machine_of<i386>));
static_assert(choose_register_block(50, 2, 64, machine_of<avx512>, 16) ==
              choose_register_block(50, 2, 64, machine_of<avx512>));

// Near-equal blocks.
static_assert(split_near_equal(64, 8) == axis_split{64, 8, 8, 8});
static_assert(split_near_equal(17, 2) == axis_split{17, 2, 9, 1});
static_assert(split_near_equal(3, 7) == axis_split{3, 3, 1, 3});
static_assert(split_near_equal(0, 4).blocks == 0);
static_assert(split_near_equal(17, 2).first(1) == 9 && split_near_equal(17, 2).first(2) == 17);

constexpr bool splits_cover_every_extent() {
    for (std::size_t extent = 1; extent <= 37; ++extent)
        for (std::size_t blocks = 1; blocks <= extent; ++blocks) {
            const axis_split split = split_near_equal(extent, blocks);
            std::size_t at = 0;
            for (std::size_t b = 0; b < split.blocks; ++b) {
                if (split.size(b) == 0 || split.first(b) != at) return false;
                for (std::size_t e = at; e < at + split.size(b); ++e)
                    if (split.block_of(e) != b) return false;
                at += split.size(b);
            }
            if (at != extent || split.first(split.blocks) != extent || split.blocks != blocks) return false;
        }
    return true;
}
static_assert(splits_cover_every_extent());

template <class Config>
constexpr register_block cut(std::size_t rows, std::size_t columns, std::size_t depth, std::size_t element = 4) {
    const std::size_t width = Config::register_bits == 0 ? 1 : Config::register_bits / 8 / element;
    return choose_register_block(rows, (columns + width - 1) / width, depth, machine_of<Config>);
}

template <class Config>
constexpr bool cut_is(std::size_t rows, std::size_t columns, std::size_t depth, std::size_t block_rows,
                      std::size_t block_vectors, std::size_t chains = 1) {
    const register_block block = cut<Config>(rows, columns, depth);
    return block.rows.large == block_rows && block.vectors.large == block_vectors && block.chains == chains;
}

// 32 registers.
static_assert(cut_is<avx512>(64, 64, 64, 6, 4));
static_assert(cut_is<avx512>(64, 32, 64, 8, 2));
static_assert(cut_is<avx512>(64, 16, 64, 22, 1));
static_assert(cut_is<avx512>(16, 16, 16, 16, 1));
static_assert(cut_is<avx512>(17, 16, 16, 17, 1));
// 16 and 8 registers.
static_assert(cut_is<avx2>(64, 64, 64, 6, 2));
static_assert(cut_is<avx2>(16, 16, 16, 6, 2));  // not four equal blocks of 4 x 2, whose sums wait
static_assert(cut_is<sse2>(64, 64, 64, 2, 4));
static_assert(cut_is<i386>(64, 64, 64, 2, 2));

/// Every cut covers its product, fits the registers and has no more chains than depth steps.
template <class Config>
void expect_legal_cuts() {
    const machine m = machine_of<Config>;
    for (std::size_t rows : {1u, 2u, 3u, 5u, 8u, 13u, 16u, 17u, 31u, 64u, 100u, 384u})
        for (std::size_t vectors : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 24u, 96u})
            for (std::size_t depth : {1u, 3u, 16u, 64u, 384u}) {
                SCOPED_TRACE(testing::Message() << rows << " rows " << vectors << " vectors " << depth << " deep");
                const register_block block = choose_register_block(rows, vectors, depth, m);
                EXPECT_EQ(block.rows.first(block.rows.blocks), rows);
                EXPECT_EQ(block.vectors.first(block.vectors.blocks), vectors);
                EXPECT_TRUE(fits_registers(block.rows.large * block.chains, block.vectors.large, m));
                EXPECT_LE(block.chains, depth);
            }
}

TEST(register_block_test, cuts_are_legal) {
    expect_legal_cuts<avx512>();
    expect_legal_cuts<avx2>();
    expect_legal_cuts<sse2>();
    expect_legal_cuts<i386>();
    expect_legal_cuts<emulated256>();
    expect_legal_cuts<scalar>();
}

}  // namespace
