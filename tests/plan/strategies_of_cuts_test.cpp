// SPDX-License-Identifier: BSL-1.0
// How products are cut into register blocks, as plans for several machines have it.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/machines.hpp"
#include "support/product_strategies.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using namespace ashlar::detail;
using support::product_of;
using support::weights;
using support::x;

// Register blocks, strips and packed columns are the plan's choice, of each machine and of each tile.
TEST(strategies_of_cuts, cuts) {
    const auto square = matmul(x<64, 64>(), x<64, 64>());
    for (const product_cut& cut : {product_of<avx512>(square).cut, product_of<avx2>(square).cut}) {
        EXPECT_NE(cut.row_blocks, 0u);
        EXPECT_EQ(cut.last_steps, 1);
    }
    EXPECT_NE(product_of<avx512>(square).cut, product_of<avx2>(square).cut);
    const product_cut one_row = product_of(matmul(x<1, 64>(), x<64, 16>())).cut;
    EXPECT_TRUE(one_row.row_blocks == 1 && one_row.vector_blocks == 1 && one_row.chains > 1);
    const auto ragged = matmul(x<64, 64>(), x<64, 17>());
    EXPECT_TRUE(product_of<avx512>(ragged).cut.packs && product_of<avx512>(ragged).cut.last_steps == 16);
    EXPECT_FALSE(product_of<scalar>(ragged).cut.packs);
    const product_cut of_part = product_of(matmul(softmax(masked(x<64, 64>(), causal)), x<64, 17>())).cut;
    EXPECT_NE(of_part.last_steps, 1) << "the last column is computed alone";
    EXPECT_FALSE(of_part.packs) << "a part of the depth";
    EXPECT_EQ(product_of<avx512>(matmul(x<5, 64>(), x<64, 4>())).cut.strip_steps, 4);
    EXPECT_EQ(product_of<avx512>(matmul(x<6, 64>(), x<64, 4>())).cut.strip_steps, 1) << "packing pays";
    EXPECT_EQ(product_of<avx512>(matmul(x<64, 64>(), x<64, 4>())).cut.last_steps, 4);
    EXPECT_EQ(product_of(matmul(x<5, 64>(), x<64, 5>())).cut.strip_steps, 1) << "five do not divide a register";
    // Panels: three side by side, two, and what is left of the columns.
    const product_strategy panels = product_of(matmul(x<8, 64>(), weights<64, 70>()));
    EXPECT_TRUE(panels.panels == 2 && panels.cut.row_blocks != 0 && panels.last_panel.row_blocks != 0);
    const product_strategy five = product_of(matmul(x<8, 64>(), weights<64, 80>()));
    EXPECT_TRUE(five.panels == 3 && five.panel_runs == 1 && five.fewer_panels.row_blocks != 0);
    // The last tile has its own.
    const auto chain = matmul(gelu(matmul(x<35, 192>(), x<192, 64>())), x<64, 64>());
    EXPECT_NE(product_of(chain, 0, full_tile).cut, product_of(chain, 0, last_tile).cut);
    // Beside exponentials: a whole number of blocks for each register of rows, and nothing apart.
    const product_cut beside = product_of(attention(x<64, 64>(), x<64, 64>(), x<64, 17>()), 1).cut;
    EXPECT_TRUE(beside.row_blocks % 2 == 0 && beside.last_steps == 1);
    const auto transposing = matmul(x<20000, 128>(), transpose(x<128, 128>()));
    EXPECT_NE(product_of(transposing).cut.transposing_rows, 0);
}

// Independent sums of blocks of one vector, which are not those of register blocks: as many as hide the latency.
TEST(strategies_of_cuts, chains_of_one_vector) {
    const auto masked_by = [](auto mask) { return attention(x<64, 64>(), x<64, 64>(), x<64, 64>(), mask); };
    EXPECT_EQ(product_of<avx2>(masked_by(causal)).cut.split_chains.large, 2) << "a mask's edge splits blocks";
    EXPECT_EQ(product_of<avx512>(masked_by(causal)).cut.split_chains.large, 0) << "halves of registers instead";
    EXPECT_EQ(product_of<avx2>(matmul(x<64, 64>(), x<64, 64>())).cut.split_chains.large, 0) << "no mask";
    EXPECT_EQ(product_of<avx2>(masked_by(causal), 1).cut.split_chains.large, 0) << "the mask is not on top of it";
    // Strips and packed columns.
    const product_cut strip = product_of<avx512>(matmul(x<5, 64>(), x<64, 4>())).cut;
    EXPECT_TRUE(strip.strip_steps == 4 && strip.packed_chains.large == 4) << int{strip.packed_chains.large};
    EXPECT_EQ(product_of<avx512>(matmul(x<3, 12>(), x<12, 4>())).cut.packed_chains.large, 1) << "three registers deep";
    const product_cut packed = product_of<avx512>(matmul(x<64, 64>(), x<64, 17>())).cut;
    EXPECT_TRUE(packed.packs && packed.packed_chains == (one_vector_chains{1, 1, 0}));
    EXPECT_EQ(product_of<avx512>(matmul(x<64, 64>(), x<64, 16>())).cut.packed_chains.large, 0) << "nothing is packed";
    // Blocks of one row fewer, and the rows that transpose the right operand, have their own chains.
    const product_cut heights = product_of<avx512>(matmul(x<11, 256>(), x<256, 33>())).cut;
    EXPECT_TRUE(heights.packed_chains == (one_vector_chains{2, 4, 0}));
    const product_cut transposing = product_of(matmul(x<20000, 128>(), transpose(x<128, 128>()))).cut;
    EXPECT_TRUE(transposing.transposing_chains != 0 && transposing.split_chains.transposing != 0);
}

// Few rows: steps of the depth side by side, columns as registers bear, and packed rows in scratch where they are many.
TEST(strategies_of_cuts, few_rows) {
    const auto packed = softmax(matmul(x<4, 64>(), transpose(x<50, 64>())));
    EXPECT_TRUE(product_of<avx512>(packed).packed == (packed_k_cut{4, 16, true}));
    const auto packed_of = [](const auto& scores) { return product_of<avx512>(softmax(scores)).packed; };
    EXPECT_FALSE(packed_of(matmul(x<4, 16>(), transpose(x<50, 16>()))).table) << "four registers";
    EXPECT_FALSE(packed_of(matmul(x<4, 64>(), transpose(x<16, 64>()))).table) << "each is used once";
    EXPECT_EQ(packed_of(matmul(x<9, 8>(), transpose(x<16, 8>()))).steps, 1) << "one row is most of a register";
}

// One row loads its scalars a register at a time where loads are what bounds it.
TEST(strategies_of_cuts, spread_scalars) {
    const auto spreads = [](const auto& e) { return product_of<avx512>(e).cut.spreads; };
    EXPECT_TRUE(spreads(matmul(x<1, 64>(), x<64, 128>())));
    EXPECT_FALSE(spreads(matmul(x<1, 64>(), x<64, 192>()))) << "a stream from behind the L1";
    EXPECT_FALSE(spreads(matmul(x<2, 64>(), x<64, 128>()))) << "two rows in a block";
    EXPECT_FALSE(spreads(matmul(x<1, 64>(), x<64, 16>()))) << "one vector";
    EXPECT_FALSE(spreads(matmul(x<1, 32>(), x<32, 128>()))) << "a short depth";
    EXPECT_FALSE(product_of<avx2>(matmul(x<1, 64>(), x<64, 128>())).cut.spreads) << "sixteen registers";
    EXPECT_FALSE(product_of<aarch64>(matmul(x<1, 64>(), x<64, 128>())).cut.spreads) << "registers of 16 bytes";
    EXPECT_FALSE(spreads(matmul(slice<0, 0, 1>(transpose(x<64, 2>())), x<64, 128>()))) << "scalars that lie apart";
    EXPECT_TRUE(spreads(matmul(x<1, 64>(), weights<64, 96>())));
}

// Blocks of 6 x 2 sums in 16 registers.
TEST(strategies_of_cuts, steps_between_branches) {
    const auto steps = []<class Config>(const auto& e) { return product_of<Config>(e).cut.steps_together; };
    const auto square = matmul(x<64, 64>(), x<64, 64>());
    EXPECT_EQ(steps.operator()<avx2>(square), 2);
    EXPECT_EQ(steps.operator()<avx512>(square), 1) << "32 registers hold sums of several steps";
    EXPECT_EQ(steps.operator()<avx2>(matmul(x<64, 63>(), x<63, 64>())), 1) << "an odd number of steps";
    EXPECT_EQ(steps.operator()<avx2>(matmul(x<64, 14>(), x<14, 64>())), 1) << "few steps";
    EXPECT_EQ(steps.operator()<sse2>(matmul(x<4, 64>(), x<64, 32>())), 1) << "products take a register";
    EXPECT_EQ(steps.operator()<avx2>(matmul(x<4, 64>(), x<64, 72>())), 1) << "three vectors beside four rows";
    EXPECT_EQ(steps.operator()<avx2>(matmul(x<2, 64>(), x<64, 64>())), 2) << "four vectors beside two rows";
    EXPECT_EQ(steps.operator()<avx2>(matmul(x<3, 64>(), x<64, 64>())), 1) << "two sums of each";
    EXPECT_EQ(steps.operator()<avx2>(matmul(x<64, 64>(), x<64, 8>())), 1) << "one vector";
}

// Sums begin as products if the whole depth is summed at once.
TEST(strategies_of_cuts, first_products) {
    const auto first = []<class Config>(const auto& e, std::size_t n = 0) {
        return product_of<Config>(e, n).cut.multiplies_first;
    };
    const auto square = matmul(x<64, 64>(), x<64, 64>());
    EXPECT_TRUE(first.operator()<avx2>(square));
    EXPECT_TRUE(first.operator()<avx2>(matmul(x<5, 1>(), x<1, 64>())));
    EXPECT_FALSE(first.operator()<sse2>(square)) << "no fused multiply-adds";
    EXPECT_FALSE(first.operator()<avx512>(square)) << "32 registers";
    EXPECT_FALSE(first.operator()<avx2>(matmul(x<24, 1025>(), x<1025, 384>()))) << "parts of the depth";
    const auto causal_heads = attention(x<64, 64>(), x<64, 64>(), x<64, 64>(), causal);
    EXPECT_TRUE(first.operator()<avx2>(causal_heads, 0));
    EXPECT_FALSE(first.operator()<avx2>(causal_heads, 1)) << "the depth that a mask keeps";
    const auto long_heads = attention(x<1024, 64>(), x<1024, 64>(), x<1024, 64>());
    EXPECT_TRUE(first.operator()<avx2>(long_heads, 0));
    EXPECT_FALSE(first.operator()<avx2>(long_heads, 1)) << "sums of blocks of keys";
}

}  // namespace
