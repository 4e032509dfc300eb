// SPDX-License-Identifier: BSL-1.0
// How products run in the plans of several machines: each strategy where it belongs, and nowhere else.
#include <string_view>

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
using support::runs_by;
using support::weights;
using support::x;

TEST(strategies_of_products, forms) {
    const auto scores = softmax(matmul(x<4, 64>(), transpose(x<50, 64>())));
    EXPECT_EQ(product_of<avx512>(scores).form, product_form::packed_k);
    EXPECT_EQ(product_of<avx2>(scores).form, product_form::packed_k);
    EXPECT_EQ(product_of<sse2>(scores).form, product_form::blocks) << "four rows fill a register of four";
    EXPECT_EQ(product_of(softmax(matmul(x<4, 63>(), transpose(x<50, 63>())))).form, product_form::dots)
        << "steps of four rows side by side do not divide the depth";
    EXPECT_EQ(product_of(matmul(x<1, 64>(), transpose(x<500, 64>()))).form, product_form::dots);
    EXPECT_EQ(product_of(matmul(x<64, 64>(), x<64, 64>())).form, product_form::blocks);
}

// Several columns of few rows are finished as one register if no operation depends on the lane.
TEST(strategies_of_products, groups_of_columns) {
    const auto scores = matmul(x<4, 64>(), transpose(x<50, 64>()));
    EXPECT_TRUE(product_of(softmax(scores * 2.0f)).writes_groups);
    EXPECT_FALSE(product_of(softmax(scores + x<4, 50>())).writes_groups) << "a bias for each score";
    EXPECT_FALSE(product_of(softmax(masked(scores, causal))).writes_groups);
    EXPECT_FALSE(product_of(softmax(matmul(x<9, 64>(), transpose(x<50, 64>())))).writes_groups);
    EXPECT_FALSE(product_of(any<1>(scores > 0.5f)).writes_groups) << "truth values";
}

TEST(strategies_of_products, right_operands) {
    EXPECT_TRUE(runs_by<plain_product>(product_of(matmul(x<64, 64>(), x<64, 64>()))));
    EXPECT_TRUE(runs_by<panel_product>(product_of(matmul(x<64, 64>(), weights<64, 64>()))));
    const auto blocks = reshape<64, 64>(permute<1, 0, 2>(x<4, 64, 16>()));
    EXPECT_TRUE(runs_by<column_blocks>(product_of(matmul(x<64, 64>(), blocks))));
}

// With 16 registers costly functions read stored sums where multiply-adds are many.
TEST(strategies_of_products, reloaded_epilogues) {
    const auto time = [](const auto& e) { return product_of<avx2>(e).epilogue; };
    const auto sums = matmul(x<8, 192>(), x<192, 64>());
    EXPECT_EQ(time(gelu(sums)), epilogue_time::reloaded);
    EXPECT_EQ(time(gelu(matmul(x<8, 192>(), weights<192, 64>()))), epilogue_time::reloaded);
    EXPECT_EQ(time(max(sums + 1.0f, 0.0f)), epilogue_time::block_end) << "a few instructions";
    EXPECT_EQ(time(gelu(matmul(x<8, 191>(), x<191, 64>()))), epilogue_time::block_end) << "not deep enough";
    EXPECT_EQ(time(gelu(matmul(x<3, 192>(), x<192, 64>()))), epilogue_time::block_end) << "too few rows";
    EXPECT_EQ(time(gelu(matmul(x<8, 192>(), x<192, 63>()))), epilogue_time::block_end) << "a partial register";
    static packed<float, 192, 80, 20> panels;
    EXPECT_EQ(time(gelu(matmul(x<8, 192>(), panels))), epilogue_time::block_end) << "panels that end inside a register";
    EXPECT_EQ(time(gelu(matmul(x<8, 192>(), reshape<192, 64>(permute<1, 0, 2>(x<4, 192, 16>()))))),
              epilogue_time::reloaded);
    EXPECT_EQ(time(gelu(sums) > 0.5f), epilogue_time::block_end) << "sums cannot wait among truth values";
    EXPECT_EQ(time(where(causal, gelu(sums), 0.0f)), time(gelu(sums)));
    EXPECT_EQ(time(masked(gelu(sums), causal)), epilogue_time::block_end) << "blocks may be left out";
    EXPECT_EQ(product_of(gelu(sums)).epilogue, epilogue_time::block_end) << "registers for its constants";
    EXPECT_EQ(time(gelu(matmul(x<8, 200>(), transpose(x<512, 200>())))), epilogue_time::block_end) << "depth in lanes";
    EXPECT_EQ(time(gelu(matmul(softmax(masked(x<8, 192>(), causal)), x<192, 64>()))), epilogue_time::block_end)
        << "each row ends at its own step of the depth";
    // What another stage has computed is only read.
    const auto residual = let(softmax(gelu(x<8, 192>())), [](auto y) { return matmul(y, x<192, 192>()) + y; });
    EXPECT_EQ(time(residual), epilogue_time::block_end);
    // The last tile has its own: of 35 rows three are left, in a chain whose tiles have 32.
    const auto chain = matmul(gelu(matmul(x<35, 192>(), x<192, 64>())), x<64, 64>());
    EXPECT_EQ(product_of<avx2>(chain, 0, full_tile).epilogue, epilogue_time::reloaded);
    EXPECT_EQ(product_of<avx2>(chain, 0, last_tile).epilogue, epilogue_time::block_end);
}

// Operands of more than 40 KiB are not read from an L1 of 32.
TEST(strategies_of_products, streamed_operands) {
    EXPECT_FALSE(product_of(matmul(x<1, 64>(), x<64, 128>())).streamed);
    EXPECT_TRUE(product_of(matmul(x<1, 64>(), x<64, 192>())).streamed);
    EXPECT_TRUE(product_of<scalar>(matmul(x<1, 64>(), x<64, 128>())).streamed) << "an L1 of 16 KiB";
}

// Row-major right operands from behind the L2 are prefetched, one block of columns ahead.
TEST(strategies_of_products, prefetched_columns) {
    using small_l2 = built_for<avx512::instruction_sets, 512, 32, 4096, 4096>;
    const auto deep = matmul(x<12, 384>(), x<384, 256>());
    EXPECT_TRUE(product_of<small_l2>(deep).prefetches);
    EXPECT_GT(product_of<small_l2>(deep).k_parts, 1) << "two blocks of all its columns exceed half of the L2";
    EXPECT_FALSE(product_of<avx512>(deep).prefetches || product_of<avx512>(deep).k_parts != 1) << "it is in the L2";
    const auto shallow = matmul(x<12, 16>(), x<16, 256>());
    EXPECT_TRUE(product_of<small_l2>(shallow).prefetches && product_of<small_l2>(shallow).k_parts == 1);
    EXPECT_FALSE(product_of<small_l2>(matmul(x<5, 512>(), x<512, 256>())).prefetches) << "too few rows";
    EXPECT_FALSE(product_of<small_l2>(matmul(x<12, 512>(), x<512, 250>())).prefetches) << "a partial register";
    EXPECT_FALSE(product_of<small_l2>(matmul(x<12, 512>(), x<512, 16>())).prefetches) << "one block of columns";
    using small_avx2 = built_for<avx2::instruction_sets, 256, 16, 4096, 4096>;
    EXPECT_TRUE(product_of<small_avx2>(matmul(x<12, 384>(), x<384, 128>())).prefetches);
    EXPECT_FALSE(product_of<small_avx2>(matmul(x<12, 384>(), x<384, 120>())).prefetches) << "blocks of three registers";
    // Sums wait in the result between parts: not among truth values, nor where blocks may be left out.
    EXPECT_FALSE(product_of<small_l2>(deep > 0.5f).prefetches);
    EXPECT_TRUE(product_of<small_l2>(shallow > 0.5f).prefetches);
    EXPECT_FALSE(product_of<small_l2>(masked(deep, causal)).prefetches);
    EXPECT_FALSE(product_of<small_l2>(matmul(softmax(masked(x<12, 384>(), causal)), x<384, 256>())).prefetches);
    // 1 MiB of weights is read from behind an L2 of 512 KiB, in parts of 512 steps.
    const auto large = matmul(x<40, 512>(), x<512, 512>());
    EXPECT_TRUE(product_of<avx512>(large).prefetches && product_of<avx512>(large).k_parts == 1);
}

// Products of many rows prefetch packed weights, also those of the next product.
TEST(strategies_of_products, prefetched_panels) {
    const auto two = matmul(relu(matmul(x<64, 64>(), weights<64, 96>())), weights<96, 64>());
    EXPECT_TRUE(product_of(two, 0).prefetches && product_of(two, 1).prefetches);
    using plan = planned<std::remove_cvref_t<decltype(two)>, avx512>;
    ASSERT_EQ(plan::code.stage_count, 2u);
    EXPECT_EQ(product_of(two, 0).next_weights, detail::stage_index{1});
    EXPECT_EQ(product_of(two, 1).next_weights, detail::stage_index{0}) << "the next tile begins with the first ones";
    const auto one_tile = matmul(relu(matmul(x<32, 64>(), weights<64, 96>())), weights<96, 64>());
    EXPECT_EQ(product_of(one_tile, 0).next_weights, detail::stage_index{1});
    EXPECT_EQ(product_of(one_tile, 1).next_weights, detail::no_stage);
    // The next tile begins with the first weights of its own loop, not with those of keys and values before it.
    const auto project = [](const auto& w) { return matmul(x<64, 64>(), w); };
    const auto heads = attention(project(weights<64, 32>()), project(weights<64, 32>()), project(weights<64, 32>()));
    const auto& stages = planned<std::remove_cvref_t<decltype(heads)>, avx512>::code.stages;
    std::size_t of_queries = 0;
    for (detail::stage_index s{}; s < std::size(stages); ++s)
        of_queries += stages[s].how[full_tile].product.next_weights == s;
    EXPECT_EQ(of_queries, 1u);
    EXPECT_FALSE(product_of(matmul(x<7, 64>(), weights<64, 96>())).prefetches) << "one stream, which hardware follows";
    EXPECT_TRUE(product_of(matmul(x<8, 64>(), weights<64, 96>())).prefetches);
}

TEST(strategies_of_products, panels_side_by_side) {
    EXPECT_EQ(product_of<avx512>(matmul(x<8, 64>(), weights<64, 96>())).panels, 3);
    EXPECT_EQ(product_of<avx2>(matmul(x<8, 64>(), weights<64, 96>())).panels, 1) << "a panel is two registers";
    EXPECT_EQ(product_of<avx512>(matmul(x<1, 64>(), weights<64, 96>())).panels, 3);
    EXPECT_EQ(product_of<avx512>(matmul(x<1, 256>(), weights<256, 96>())).panels, 1) << "one row, behind the L1";
    EXPECT_EQ(product_of<avx512>(matmul(x<1, 1024>(), weights<1024, 96>())).panels, 3) << "long streams";
    static packed<float, 64, 96, 8> of_eight;
    static packed<float, 64, 96, 1> of_one;
    EXPECT_EQ(product_of<avx2>(matmul(x<8, 64>(), of_eight)).panels, 2) << "sixteen registers";
    EXPECT_EQ(product_of<scalar>(matmul(x<8, 64>(), of_one)).panels, 8) << "a panel is one number";
    const auto runs = [](const auto& e) {
        const product_strategy how = product_of<avx512>(e);
        return std::pair{int{how.panels}, static_cast<int>(how.panel_runs)};
    };
    EXPECT_EQ(runs(matmul(x<8, 64>(), weights<64, 96>())), std::pair(3, 2));
    EXPECT_EQ(runs(matmul(x<8, 64>(), weights<64, 64>())), std::pair(2, 2)) << "near-equal ones";
    EXPECT_EQ(runs(matmul(x<8, 64>(), weights<64, 80>())), std::pair(3, 1)) << "and then two";
    EXPECT_EQ(runs(matmul(x<8, 64>(), weights<64, 100>())), std::pair(3, 2)) << "the last columns are computed alone";
    EXPECT_EQ(runs(matmul(x<8, 64>(), weights<64, 9>())).second, 0) << "no panel is full";
}

// Row blocks divide what a mask decides about; with few registers larger blocks gain more.
TEST(strategies_of_products, granules_of_masks) {
    const auto few_keys = attention(x<64, 64>(), x<64, 64>(), x<64, 64>(), causal);
    const auto many_keys = attention(x<64, 64>(), x<512, 64>(), x<512, 64>(), causal_at(448));
    EXPECT_EQ(product_of<avx512>(few_keys, 0).granule, 16);
    EXPECT_EQ(product_of<avx512>(few_keys, 1).granule, 4);
    EXPECT_EQ(product_of<avx512>(many_keys, 0).granule, 16);
    EXPECT_EQ(product_of<avx2>(few_keys, 0).granule, 0);
    EXPECT_EQ(product_of<avx2>(many_keys, 1).granule, 0);
    EXPECT_EQ(product_of(attention(x<64, 64>(), x<64, 64>(), x<64, 64>()), 0).granule, 0) << "no mask";
    // Blocks of 80 keys that straddle no edge; without a mask those of the least cost.
    const auto blocks = [](const auto& e) { return product_of<avx512>(e, 0).cut.row_blocks; };
    const auto unmasked = attention(x<64, 64>(), x<80, 64>(), x<80, 64>());
    const auto masked_keys = attention(x<64, 64>(), x<80, 64>(), x<80, 64>(), causal);
    EXPECT_TRUE(80 % blocks(masked_keys) == 0 && 16 % (80 / blocks(masked_keys)) == 0);
    EXPECT_NE(blocks(unmasked), blocks(masked_keys));
}

// A mask whose edges move on by one key from query to query leaves out halves of registers of queries.
TEST(strategies_of_products, edges_of_masks) {
    const auto edge = [](const auto& e) { return product_of(e).edge; };
    const auto masked_by = [](auto mask) { return attention(x<64, 64>(), x<64, 64>(), x<64, 64>(), mask); };
    EXPECT_EQ(edge(masked_by(causal)), mask_edge::halves);
    EXPECT_EQ(edge(masked_by(keys_below(40))), mask_edge::registers) << "its edge stays where it is";
    EXPECT_EQ(product_of<avx2>(masked_by(causal)).edge, mask_edge::registers) << "sixteen registers";
    EXPECT_EQ(edge(attention(x<64, 63>(), x<64, 63>(), x<64, 64>(), causal)), mask_edge::registers) << "an odd depth";
    EXPECT_EQ(edge(matmul(x<64, 64>(), x<64, 64>())), mask_edge::tiles);
    EXPECT_EQ(edge(masked(matmul(x<64, 64>(), x<64, 64>()), causal)), mask_edge::tiles) << "columns in lanes";
    EXPECT_EQ(edge(log_softmax(masked(matmul(x<64, 64>(), transpose(x<64, 64>())), causal))), mask_edge::registers)
        << "what the mask excludes is read";
    EXPECT_EQ(edge(softmax(masked(matmul(x<8, 64>(), transpose(x<50, 64>())), causal))), mask_edge::registers)
        << "4 steps of the depth side by side, few rows by 16 columns";
}

/// Bytes that the n-th product stage of an expression packs on the way.
template <class Config = avx512>
constexpr std::size_t table_of(const auto& e, std::size_t n = 0) {
    const auto& code = planned<std::remove_cvref_t<decltype(e)>, Config>::code;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        if (code.stages[s].kind == stage_kind::product && n-- == 0)
            return code.stages[s].table == detail::no_buffer ? 0 : code.buffers[code.stages[s].table].bytes;
    return no_axis;
}

// What kernels pack is scratch of the plan: the last columns of a ragged product, and few rows.
TEST(strategies_of_products, tables) {
    const auto ragged = matmul(x<64, 64>(), x<64, 17>());
    EXPECT_EQ(table_of<avx512>(ragged), 4 * 64u) << "sixteen steps of one column in a register";
    EXPECT_EQ(table_of<scalar>(ragged), 0u);
    EXPECT_EQ(workspace_bytes<decltype(ragged)>, table_of<current_config>(ragged));
    EXPECT_EQ(table_of(matmul(x<64, 64>(), x<64, 16>())), 0u) << "whole registers";
    EXPECT_EQ(table_of(matmul(x<64, 64>(), x<64, 25>())), 0u) << "more than half a register";
    EXPECT_EQ(table_of(matmul(x<1, 64>(), x<64, 17>())), 0u) << "one row does not pay for packing";
    EXPECT_EQ(table_of(matmul(x<64, 4096>(), x<4096, 17>())), 0u) << "more than 8 KiB";
    // Few rows: four depth steps of each of four rows in a register.
    const auto few = matmul(x<4, 1024>(), transpose(x<60, 1024>()));
    EXPECT_EQ(table_of<avx512>(softmax(few)), 1024u / 4 * 64);
    EXPECT_EQ(table_of<avx512>(softmax(matmul(x<4, 1024>(), transpose(x<16, 1024>())))), 0u) << "each is used once";
    // Panels that end inside a register.
    static packed<float, 64, 80, 20> panels;
    EXPECT_EQ(table_of(matmul(x<64, 64>(), panels)), table_of(matmul(x<64, 64>(), x<64, 20>())));
    // A part of the depth packs nothing, and neither does a product with other work between its steps.
    const auto narrow = attention(x<64, 64>(), x<64, 64>(), x<64, 17>(), causal);
    EXPECT_EQ(table_of(narrow, 1), 0u);
    const auto unmasked = attention(x<64, 64>(), x<64, 64>(), x<64, 17>());
    EXPECT_EQ(table_of(unmasked, 1), 0u) << "exponentials beside the multiply-adds";
}

// Columns of rows that compete for cache sets are copied, if there are rows enough to read the copy.
TEST(strategies_of_products, copied_columns) {
    const auto copies = [](const auto& e, std::size_t tile = full_tile) {
        return runs_by<copying_product>(product_of<avx2>(e, 0, tile));
    };
    const auto page = matmul(x<24, 17>(), x<17, 1024>());
    EXPECT_TRUE(copies(page)) << "17 rows fall into one set of an L1 of 8 lines each";
    EXPECT_FALSE(runs_by<copying_product>(product_of<avx512>(page))) << "blocks of 32 registers read less";
    EXPECT_FALSE(runs_by<copying_product>(product_of<scalar>(page)));
    EXPECT_FALSE(copies(matmul(x<24, 16>(), x<16, 1024>())));
    EXPECT_FALSE(copies(matmul(x<23, 17>(), x<17, 1024>()))) << "too few rows";
    EXPECT_FALSE(copies(matmul(x<24, 17>(), x<17, 1020>()))) << "a partial register";
    EXPECT_TRUE(copies(matmul(x<24, 17>(), slice<1, 0, 1016>(x<17, 1024>())))) << "rows of a view";
    // An L2 of 512 KiB has places for 1,024 rows that are 1,536 bytes apart.
    const auto deep = matmul(x<24, 1025>(), x<1025, 384>());
    EXPECT_TRUE(copies(deep));
    EXPECT_EQ(product_of<avx2>(deep).k_parts, 3) << "384 steps of 16 columns are three quarters of the L1";
    EXPECT_TRUE(product_of<avx2>(deep).prefetches);
    EXPECT_FALSE(product_of<avx2>(page).prefetches) << "it is in the L2";
    using tiny_l1 = built_for<avx2::instruction_sets, 256, 16, 64>;
    EXPECT_EQ(product_of<tiny_l1>(deep).k_parts, 33) << "at least 32 steps";
    using small_code = built_for<avx2::instruction_sets, 256, 16, 32 * 1024, 512 * 1024, true>;
    EXPECT_FALSE(runs_by<copying_product>(product_of<small_code>(deep)));
    // The L1 of 32 KiB has 64 places for such rows. 170 of them take half of the L2.
    EXPECT_TRUE(copies(matmul(x<24, 171>(), x<171, 384>())));
    EXPECT_FALSE(copies(matmul(x<24, 170>(), x<170, 384>()))) << "most of them stay in the L2";
    EXPECT_FALSE(copies(matmul(x<24, 64>(), slice<1, 0, 384>(x<64, 1152>())))) << "the L1 keeps a line of each";
    EXPECT_FALSE(copies(matmul(x<24, 512>(), x<512, 400>()))) << "512 places for rows 1,600 bytes apart";
    // Sums wait in the result between parts: not among truth values. Nor is anything copied that blocks may leave out.
    EXPECT_TRUE(copies(page > 0.5f));
    EXPECT_FALSE(copies(deep > 0.5f));
    EXPECT_FALSE(copies(masked(matmul(x<24, 17>(), x<17, 1024>()), causal)));
    EXPECT_FALSE(copies(matmul(softmax(masked(x<24, 17>(), causal)), x<17, 1024>())));
    // 32 rows and 3 more.
    const auto tiles = matmul(matmul(x<35, 17>(), x<17, 1024>()), x<1024, 16>());
    EXPECT_TRUE(copies(tiles));
    EXPECT_FALSE(copies(tiles, last_tile));
}

TEST(strategies_of_products, are_explained) {
    const auto says = [](const auto& e, const char* part) { return support::shows<avx512>(e, part); };
    const auto says_avx2 = [](const auto& e, const char* part) { return support::shows<avx2>(e, part); };
    const auto deep = matmul(x<40, 512>(), x<512, 512>());
    EXPECT_TRUE(says_avx2(gelu(deep), "gelu, when a block is stored\n"));
    EXPECT_FALSE(says_avx2(relu(deep), "when a block is stored"));
    const auto square = matmul(x<64, 64>(), x<64, 64>());
    EXPECT_TRUE(says_avx2(square, ", 2 steps of the depth between two branches, begun as products\n"));
    EXPECT_FALSE(says(square, "begun as products"));
    EXPECT_TRUE(says(deep, "the next columns prefetched"));
    const auto copying = matmul(x<24, 1025>(), x<1025, 384>());
    EXPECT_TRUE(says_avx2(copying, "the depth in 3 parts, columns copied by the first rows, prefetched\n"));
    EXPECT_TRUE(says_avx2(matmul(x<24, 17>(), x<17, 1024>()), "  columns copied by the first rows\n"));
    EXPECT_TRUE(says(matmul(x<40, 2048>(), x<2048, 512>()), "the depth in 4 parts, the next columns prefetched"));
    EXPECT_TRUE(says(softmax(matmul(x<4, 64>(), transpose(x<50, 64>()))),
                     "4 steps of the depth side by side, few rows by 16 columns"));
    EXPECT_TRUE(says(matmul(x<64, 64>(), x<64, 17>()), "packed on the way"));
    EXPECT_TRUE(says(matmul(x<64, 64>(), x<64, 17>()), ", the last columns packed by 16 steps"));
    EXPECT_TRUE(says(matmul(x<5, 256>(), x<256, 17>()), ", the last columns packed by 16 steps in 4 sums"));
    EXPECT_TRUE(says(matmul(softmax(masked(x<64, 256>(), causal)), x<256, 17>()), ", the last columns apart"));
    EXPECT_TRUE(says(softmax(matmul(x<3, 32>(), transpose(x<5, 32>()))), "few rows by 5 columns"));
    EXPECT_TRUE(says(matmul(x<23, 33>(), transpose(x<50, 33>())), " rows that transpose"));
    EXPECT_TRUE(
        says(matmul(x<12, 64>(), weights<64, 83>()), " register blocks of the last panel, the last columns packed"));
    EXPECT_TRUE(says(matmul(x<12, 64>(), weights<64, 80>()), " register blocks of one panel fewer"));
    EXPECT_TRUE(says(matmul(x<5, 64>(), x<64, 4>()), ", 4 sums of each, 4 steps of the depth in a register"));
    EXPECT_TRUE(says(matmul(x<1, 64>(), x<64, 128>()), ", scalars loaded a register at a time"));
    EXPECT_FALSE(says(matmul(x<2, 64>(), x<64, 128>()), ", scalars loaded a register at a time"));
    const auto edges = attention(x<64, 64>(), x<64, 64>(), x<64, 64>(), keys_below(40));
    EXPECT_TRUE(says(edges, " of single vectors at a mask's edge"));
    EXPECT_FALSE(says(attention(x<64, 64>(), x<64, 64>(), x<64, 64>()), " of single vectors"));
    // What a product does not do where it is fused.
    const auto transposing = matmul(x<20000, 128>(), transpose(x<128, 128>()));
    EXPECT_TRUE(says(transposing, "on the way"));
    EXPECT_FALSE(says(transposing, "prefetched"));
}

}  // namespace
