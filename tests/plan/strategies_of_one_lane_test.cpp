// SPDX-License-Identifier: BSL-1.0
// How plans run on processors without vector registers, and on cores that issue one instruction after the other.
#include <gtest/gtest.h>

#include "support/product_strategies.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using namespace ashlar::detail;
using support::product_of, support::stages_of, support::x;

/// How the n-th stage of a kind runs.
template <class Config>
constexpr stage_strategy strategy_of(const auto& e, stage_kind kind, std::size_t n = 0) {
    return support::stage_of<Config>(e, kind, n).how[full_tile];
}

// With one lane, rows in lanes need no copy: each is read in place.
TEST(strategies_of_one_lane, rows_lie_anywhere) {
    const auto e = attention(x<16, 16>(), x<16, 16>(), x<16, 16>());
    EXPECT_EQ(stages_of<scalar>(e, stage_kind::map), 0u);
    EXPECT_EQ(stages_of<sse2>(attention(x<50, 63>(), x<50, 63>(), x<50, 63>()), stage_kind::map), 1u)
        << "four lanes are four rows";
    const auto repeated = attention(broadcast_to<16, 16>(x<16>()), x<16, 16>(), x<16, 16>());
    EXPECT_EQ(stages_of<scalar>(repeated, stage_kind::map), 1u) << "rows at no distance";
}

// A mask whose edge moves on from row to row leaves out blocks of scores key by key, and softmax reads no others.
TEST(strategies_of_one_lane, edges_of_masks) {
    const auto masked_by = [](auto mask) { return attention(x<64, 16>(), x<64, 16>(), x<64, 16>(), mask); };
    const auto exact = [](const auto& e) {
        const bool scores = product_of<cortex_m4f>(e).edge == mask_edge::keys,
                   folded = strategy_of<cortex_m4f>(e, stage_kind::softmax).rows.exact_keys;
        EXPECT_EQ(scores, folded) << "what is not computed must not be read";
        return scores;
    };
    EXPECT_TRUE(exact(masked_by(causal)));
    EXPECT_TRUE(exact(masked_by(sliding_window<8, 8>)));
    EXPECT_TRUE(exact(masked_by(causal && keys_below(40))));
    EXPECT_FALSE(exact(masked_by(keys_below(40)))) << "its edge stays where it is";
    EXPECT_EQ(product_of<scalar>(masked_by(causal)).edge, mask_edge::keys);
    EXPECT_EQ(product_of<sse2>(masked_by(causal)).edge, mask_edge::registers) << "four rows in lanes";
    EXPECT_EQ(product_of<cortex_m4f>(log_softmax(masked(matmul(x<64, 16>(), transpose(x<64, 16>())), causal))).edge,
              mask_edge::registers)
        << "what the mask excludes is read";
}

// Registers of single floats. A double takes two.
TEST(strategies_of_one_lane, register_blocks) {
    const auto block = [](const product_cut& cut, std::size_t rows, std::size_t columns) {
        const std::size_t height = (rows + cut.row_blocks - 1) / cut.row_blocks,
                          width = (columns + cut.vector_blocks - 1) / cut.vector_blocks;
        return std::pair{height, width};
    };
    const product_cut small = product_of<cortex_m4f>(matmul(x<16, 16>(), x<16, 16>())).cut;
    EXPECT_EQ(block(small, 16, 16), std::pair(std::size_t{4}, std::size_t{4})) << "one body of code";
    EXPECT_EQ(small.chains, 1) << "nothing waits";
    EXPECT_EQ(product_of<cortex_m4f>(matmul(x<1, 64>(), x<64, 2>())).cut.chains, 1);
    EXPECT_GT(product_of<scalar>(matmul(x<1, 64>(), x<64, 2>())).cut.chains, 1);
    const auto large = matmul(x<100, 100>(), x<100, 100>());
    const auto [rows, columns] = block(product_of<cortex_m4f>(large).cut, 100, 100);
    EXPECT_GT(rows * columns, 16u);
    EXPECT_LE(rows * columns + columns + 2, 32u);
    const auto [few_rows, few_columns] = block(product_of<cortex_m4f_small>(large).cut, 100, 100);
    EXPECT_LE(few_rows * few_columns, 16u) << "less code";
    EXPECT_TRUE(100 % few_rows == 0 && 100 % few_columns == 0) << "of one block";
    static tensor<double, 100, 100> d;
    const auto [double_rows, double_columns] = block(product_of<cortex_m7>(matmul(d, d)).cut, 100, 100);
    EXPECT_LE(double_rows * double_columns + double_columns + 2, 16u);
}

// Counting, two addresses and a branch are an eighth of a step of the depth.
TEST(strategies_of_one_lane, steps_between_branches) {
    const auto steps = []<class Config>(const auto& e) { return product_of<Config>(e).cut.steps_together; };
    const auto product = matmul(x<16, 16>(), x<16, 16>());
    EXPECT_EQ(steps.operator()<cortex_m4f>(product), 4);
    EXPECT_EQ(steps.operator()<cortex_m4f>(matmul(x<16, 18>(), x<18, 16>())), 1) << "18 steps are no whole fours";
    EXPECT_EQ(steps.operator()<cortex_m4f>(matmul(x<100, 100>(), x<100, 100>())), 1) << "registers hold more sums";
    EXPECT_EQ(steps.operator()<cortex_m4f_small>(product), 1) << "less code";
    EXPECT_EQ(steps.operator()<cortex_m55>(product), 1) << "eight registers";
    EXPECT_EQ(steps.operator()<scalar>(product), 1);
    const auto masked = attention(x<64, 16>(), x<64, 16>(), x<64, 16>(), causal);
    EXPECT_EQ(product_of<cortex_m4f>(masked, 1).cut.steps_together, 1) << "rows end at different steps";
    static tensor<double, 16, 16> d;
    EXPECT_EQ(steps.operator()<cortex_m4f>(matmul(d, d)), 1) << "software";
}

// Numerators that replace scores are read and written by one address.
TEST(strategies_of_one_lane, numerators_replace_scores) {
    const auto rows = []<class Config>(const auto& e) { return strategy_of<Config>(e, stage_kind::softmax).rows; };
    const auto e = attention(x<16, 16>(), x<16, 16>(), x<16, 16>());
    EXPECT_TRUE(rows.operator()<cortex_m4f>(e).one_address);
    EXPECT_FALSE(rows.operator()<scalar>(e).one_address) << "addresses are computed beside the arithmetic";
    EXPECT_FALSE(rows.operator()<cortex_m55>(e).one_address);
    EXPECT_FALSE(rows.operator()<cortex_m4f>(softmax<0>(x<16, 16>())).one_address) << "the operand stays";
}

// One instruction at a time: nothing is prefetched, and independent sums would hide nothing.
TEST(strategies_of_one_lane, nothing_beside) {
    static packed<float, 64, 96> weights;
    const auto product = matmul(x<64, 64>(), weights);
    EXPECT_FALSE(product_of<cortex_m4f>(product).prefetches);
    EXPECT_TRUE(product_of<scalar>(product).prefetches);
    const auto norm = layer_norm(x<50, 48>(), x<48>(), x<48>(), 1e-5f);
    EXPECT_EQ(strategy_of<cortex_m4f>(norm, stage_kind::standardize).rows.sums, 1);
    EXPECT_EQ(strategy_of<scalar>(norm, stage_kind::standardize).rows.sums, 8);
    EXPECT_EQ(strategy_of<cortex_m4f>(norm, stage_kind::map).map.registers, 1);
    EXPECT_EQ(strategy_of<scalar>(norm, stage_kind::map).map.registers, 4);
}

// Four lanes on such a core: eight registers, scalars in others, and no shuffles.
TEST(strategies_of_one_lane, four_lanes) {
    constexpr machine m = machine_of<cortex_m55>;
    static_assert(m.lanes(4) == 4 && m.fills_register(4) && !m.fills_register(8) && !m.fills_register(8, false) &&
                  !m.fills_register(1));
    static_assert(!m.shuffles(4) && m.fused && m.single_issue && m.scalar_operands);
    const product_cut cut = product_of<cortex_m55>(matmul(x<16, 16>(), x<16, 16>())).cut;
    EXPECT_EQ(cut.row_blocks, 8u);
    EXPECT_EQ(cut.vector_blocks, 2u) << "2 x 2 sums and two vectors";
    EXPECT_TRUE(fits_registers(3, 2, m)) << "a scalar takes none of the eight";
    EXPECT_FALSE(fits_registers(4, 2, m));
    EXPECT_FALSE(fits_registers(3, 2, machine_of<i386>));
    EXPECT_EQ(strategy_of<cortex_m55>(softmax(x<50, 33>()), stage_kind::softmax).rows.together, 1) << "nothing waits";
    const auto e = attention(x<64, 16>(), x<64, 16>(), x<64, 16>(), causal);
    EXPECT_EQ(product_of<cortex_m55>(e).edge, mask_edge::keys);
    EXPECT_TRUE(strategy_of<cortex_m55>(e, stage_kind::softmax).rows.exact_keys);
}

}  // namespace
