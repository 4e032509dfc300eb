// SPDX-License-Identifier: BSL-1.0
// Products with matrices in 8 bits: where integers are multiplied, what is copied for them, and how many rows are
// rounded at once.
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "support/plans.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using detail::product_form, detail::lane_axis, detail::stage_kind;
using support::code_of, support::x;

template <auto Rows, auto Columns>
quantized<float, Rows, Columns>& weights() {
    static quantized<float, Rows, Columns> w{};
    return w;
}

template <auto Rows, auto Columns>
quantized<smoothed<float>, Rows, Columns>& spread() {
    static quantized<smoothed<float>, Rows, Columns> w{};
    return w;
}

/// What a plan has of products.
struct found_products {
    std::size_t integers = 0, floats = 0;  // by what they multiply
    std::size_t copies = 0;
    std::size_t tile = 0, table = 0;  // of the last one of integers: rows at once, and bytes for what is rounded
};
template <class Config = avx512, class Expression>
constexpr found_products products_of(const Expression& e) {
    constexpr const auto& code = code_of<Config, Expression>;
    found_products found{.copies = support::copies<Config>(e)};
    for (std::size_t s = 0; s < code.stage_count; ++s) {
        const auto& stage = code.stages[s];
        if (stage.kind != stage_kind::product) continue;
        if (stage.how[0].product.form != product_form::integers) {
            ++found.floats;
            continue;
        }
        ++found.integers;
        const detail::loop_index rows = stage.bindings[stage.row_axis];
        found.tile = rows == detail::whole_axis ? 1 : code.loops[rows].tile;
        found.table = stage.table == detail::no_buffer ? 0 : code.buffers[stage.table].bytes;
    }
    return found;
}

TEST(quantized_operands, are_multiplied_as_integers) {
    const auto check = [](const auto& e, std::size_t integers) {
        EXPECT_EQ(products_of(e).integers, integers);
        EXPECT_EQ(products_of(e).floats, 0u);
        EXPECT_EQ(products_of<avx2>(e).integers, integers);
        EXPECT_EQ(products_of<aarch64>(e).integers, integers);
        EXPECT_EQ(products_of<cortex_m4f>(e).integers, integers);
        EXPECT_EQ(products_of(e).copies, 0u);
    };
    check(matmul(x<20, 64>(), weights<64, 48>()), 1);
    check(matmul(x<1, 64>(), weights<64, 48>()), 1);
    check(matmul(x<5, 20, 64>(), weights<64, 5>()), 1);
    check(gelu(matmul(x<20, 64>(), weights<64, 48>()) + x<48>()), 1);
    check(matmul(gelu(matmul(x<20, 64>(), weights<64, 48>())), weights<48, 64>()), 2);
    EXPECT_EQ(products_of(matmul(x<20, 64>(), x<64, 48>())).floats, 1u);
}
TEST(quantized_operands, elsewhere_than_in_products_are_floats) {
    const auto product = products_of(matmul(transpose(weights<64, 48>() * 1.0f), x<64, 8>()));
    EXPECT_EQ(product.integers, 0u) << "as the left operand it has the rounded values";
    EXPECT_EQ(product.floats, 1u);
    const auto sum = products_of(matmul(x<20, 64>(), weights<64, 48>() + x<48>()));
    EXPECT_EQ(sum.integers, 0u) << "what is computed from it is no matrix in 8 bits";
    EXPECT_EQ(sum.floats, 1u);
}
TEST(quantized_operands, left_operands_are_copied_where_rows_are_no_neighbours) {
    static tensor<bf16, 20, 64> narrow{};
    const auto copies = [](const auto& e) {
        EXPECT_EQ(products_of(e).integers, 1u);
        return products_of(e).copies;
    };
    EXPECT_EQ(copies(matmul(transpose(x<64, 20>()), weights<64, 48>())), 1u);
    EXPECT_EQ(copies(matmul(flip<0>(x<20, 64>()), weights<64, 48>())), 1u);
    EXPECT_EQ(copies(matmul(narrow, weights<64, 48>())), 1u);
    EXPECT_EQ(copies(matmul(x<20, 64>() * 2.0f, weights<64, 48>())), 1u);
    EXPECT_EQ(copies(matmul(slice<0, 0, 20, 2>(x<20, 64>()), weights<64, 48>())), 0u) << "rows may lie apart";
}
TEST(quantized_operands, one_lane_reads_elements_at_any_distance) {
    const auto e = matmul(transpose(x<64, 20>()), weights<64, 48>());
    EXPECT_EQ(products_of<cortex_m4f>(e).copies, 0u);
    EXPECT_EQ(products_of<cortex_m55>(e).copies, 1u) << "four lanes are four neighbours";
    EXPECT_EQ(products_of<cortex_m4f>(transpose(e)).copies, 0u) << "nor does its result wait";
    EXPECT_EQ(products_of<cortex_m4f>(matmul(flip<1>(x<20, 64>()), weights<64, 48>())).copies, 1u);
}
TEST(quantized_operands, parts_of_a_join_are_rounded_where_they_lie) {
    static tensor<bf16, 20, 32> narrow{};
    static quantized<int4, 64, 48> nibbles{};
    static quantized<smoothed<float>, 64, 48> spread{};
    const auto copies = [](const auto& e) {
        EXPECT_EQ(products_of(e).copies, products_of<cortex_m4f>(e).copies);
        EXPECT_EQ(products_of(e).copies, products_of<cortex_m55>(e).copies);
        return products_of(e).copies;
    };
    const auto wide = slice<1, 16, 48>(x<20, 48>());
    EXPECT_EQ(copies(matmul(concat<1>(x<20, 32>(), x<20, 32>()), weights<64, 48>())), 0u);
    EXPECT_EQ(copies(matmul(concat<1>(wide, slice<1, 0, 32>(x<20, 48>())), weights<64, 48>())), 0u);
    EXPECT_EQ(copies(matmul(concat<1>(x<20, 32>(), wide), weights<64, 48>())), 2u) << "rows at two distances";
    EXPECT_EQ(copies(matmul(concat<1>(x<20, 33>(), x<20, 31>()), weights<64, 48>())), 2u) << "no whole registers";
    EXPECT_EQ(copies(matmul(concat<1>(x<20, 48>(), x<20, 16>()), weights<64, 48>())), 2u) << "of two lengths";
    EXPECT_EQ(copies(matmul(concat<1>(x<20, 32>(), narrow), weights<64, 48>())), 2u) << "floats are read";
    EXPECT_EQ(copies(matmul(concat<1>(x<20, 32>(), x<20, 32>()), nibbles)), 2u);
    EXPECT_EQ(copies(matmul(concat<1>(x<20, 32>(), x<20, 32>()), spread)), 2u) << "outliers are spread part by part";
    EXPECT_EQ(copies(matmul(concat<1>(x<20, 32>(), softmax(x<20, 32>())), weights<64, 48>())), 2u) << "divided first";
    EXPECT_EQ(copies(matmul(concat<0>(x<10, 64>(), x<10, 64>()), weights<64, 48>())), 2u);
}
// Each of four columns takes a load, which two rows share.
TEST(quantized_operands, sums_across_registers_are_of_two_rows_and_four_columns) {
    constexpr const auto cut = [](const auto& e) {
        const auto& found = code_of<cortex_m55, decltype(e)>.stages[0].how[0].product.cut;
        return std::pair(found.row_blocks, found.vector_blocks);
    };
    EXPECT_EQ(cut(matmul(x<5, 64>(), weights<64, 48>())), std::pair(3u, 12u));
    EXPECT_EQ(cut(matmul(x<16, 64>(), weights<64, 48>())), std::pair(8u, 12u));
    EXPECT_EQ(cut(matmul(x<1, 64>(), weights<64, 48>())).first, 1u);
}
TEST(quantized_operands, what_is_left_of_a_softmax_is_divided_first) {
    const auto divided = products_of(matmul(softmax(x<20, 64>()), weights<64, 48>()));
    EXPECT_EQ(divided.integers, 1u);
    EXPECT_EQ(divided.copies, 1u) << "one scale for each row";
    EXPECT_EQ(products_of(matmul(softmax(x<20, 64>()), x<64, 48>())).copies, 0u);
}
TEST(quantized_operands, sums_of_integers_do_not_wait_in_the_result) {
    const auto e = gelu(matmul(x<16, 384>(), weights<384, 64>()));
    constexpr const auto& code = code_of<avx512, decltype(e)>;
    EXPECT_EQ(code.stages[0].how[0].product.epilogue, detail::epilogue_time::block_end);
    EXPECT_EQ(code.stages[0].lanes, lane_axis::columns);
}

// Few enough that the rounded rows stay in the second cache with the weights, and scratch does not grow.
TEST(quantized_operands, rows_are_rounded_a_tile_at_a_time) {
    const auto tile = [](const auto& e) { return products_of(e).tile; };
    EXPECT_EQ(tile(matmul(x<100, 384>(), weights<384, 48>())), 100u);
    EXPECT_EQ(tile(matmul(x<4096, 384>(), weights<384, 48>())), 128u);
    EXPECT_EQ(tile(matmul(x<4096, 512>(), weights<512, 48>())), 128u);
    EXPECT_EQ(tile(matmul(x<4096, 513>(), weights<513, 48>())), 64u);
    EXPECT_EQ(tile(matmul(x<4096, 4096>(), weights<4096, 48>())), 16u);
    EXPECT_EQ(tile(matmul(x<64, 16384>(), weights<16384, 48>())), 16u) << "weights are read once for each tile";
    EXPECT_EQ(tile(matmul(x<130, 384>(), weights<384, 48>())), 80u) << "two tiles, and ends of registers";
    EXPECT_EQ(tile(matmul(x<3, 200, 384>(), weights<384, 48>())), 112u);
    const auto small_caches = products_of<scalar>(matmul(x<4096, 384>(), weights<384, 48>()));
    EXPECT_EQ(small_caches.tile, 16u);
    EXPECT_EQ(tile(matmul(x<4096, 384>(), x<384, 48>())), 0u) << "floats need no tiles";
}
TEST(quantized_operands, tables_are_what_a_tile_takes) {
    // Lines of whole cache lines, a scale for each, and a number that its sums may start at.
    EXPECT_EQ(products_of(matmul(x<100, 65>(), weights<65, 48>())).table, 100u * (128 + 8));
    EXPECT_EQ(products_of(matmul(x<4096, 384>(), weights<384, 48>())).table, 128u * (384 + 8));
    EXPECT_EQ(products_of(matmul(x<130, 384>(), weights<384, 48>())).table, 80u * (384 + 8));
    const auto chain = products_of(matmul(relu(matmul(x<256, 64>(), weights<64, 96>())), weights<96, 64>()));
    EXPECT_EQ(chain.tile, 32u) << "other stages ask for tiles of their own";
    EXPECT_EQ(chain.table, 32u * (128 + 8));
}

// Hardware follows a few streams: 24 panels side by side halve what the L3 gives.
TEST(quantized_operands, one_row_reads_few_panels_side_by_side) {
    const auto cut = []<class Config>(Config, const auto& e) {
        return code_of<Config, decltype(e)>.stages[0].how[0].product.cut;
    };
    EXPECT_EQ(cut(avx512{}, matmul(x<1, 1024>(), weights<1024, 4096>())).vector_blocks, 4096u / 16 / 4);
    EXPECT_EQ(cut(avx512{}, matmul(x<1, 1024>(), weights<1024, 4096>())).chains, 2u);
    EXPECT_EQ(cut(avx512{}, matmul(x<1, 16>(), weights<16, 1024>())).chains, 1u) << "few steps";
    EXPECT_GE(cut(aarch64{}, matmul(x<1, 1024>(), weights<1024, 4096>())).vector_blocks, 4096u / 16 / 4);
    EXPECT_EQ(cut(avx512{}, matmul(x<1, 1024>(), weights<1024, 48>())).vector_blocks, 1u);
}

// An instruction that multiplies two rows by two columns: the registers hold sums of ten rows and of two vectors.
TEST(quantized_operands, rows_in_pairs) {
    using with_dots = built_for<(aarch64_sets | 1u << 30), 128, 32>;
    const auto how = []<class Config>(Config, const auto& e) {
        const auto& cut = code_of<Config, decltype(e)>.stages[0].how[0].product.cut;
        return std::array{std::size_t{cut.pairs_rows}, std::size_t{cut.row_blocks}, std::size_t{cut.vector_blocks}};
    };
    const auto e = matmul(x<64, 256>(), weights<256, 256>());
    EXPECT_EQ(how(aarch64_i8mm{}, e), (std::array{std::size_t{1}, std::size_t{7}, std::size_t{32}}));
    EXPECT_EQ(how(with_dots{}, e)[0], 0u);
    EXPECT_EQ(how(aarch64_i8mm{}, matmul(x<3, 64>(), weights<64, 16>()))[0], 1u);
    EXPECT_EQ(how(aarch64_i8mm{}, matmul(x<2, 64>(), weights<64, 16>()))[0], 0u) << "two rows gain nothing";
    EXPECT_EQ(how(aarch64_i8mm{}, matmul(x<64, 64>(), spread<64, 16>()))[0], 1u);
    EXPECT_EQ(how(aarch64_i8mm{}, matmul(x<64, 34>(), spread<34, 16>()))[0], 0u) << "four entries lie in two groups";
    EXPECT_EQ(products_of<aarch64_i8mm>(matmul(x<7, 65>(), weights<65, 48>())).table, 8u * (128 + 8)) << "whole pairs";
    EXPECT_TRUE(support::shows<aarch64_i8mm>(e, "two rows side by side"));
    EXPECT_FALSE(support::shows<with_dots>(e, "two rows side by side"));
}

TEST(quantized_operands, of_attention_are_multiplied_as_integers_on_all_machines) {
    const auto e = attention(x<40, 32>(), transpose(weights<32, 50>()), weights<50, 16>(), causal);
    const auto integers = []<class Config>(Config, const auto& of) {
        const found_products found = products_of<Config>(of);
        return found.floats == 0 ? found.integers : 0;
    };
    EXPECT_EQ(integers(avx512{}, e), 2u);
    EXPECT_EQ(integers(aarch64_i8mm{}, e), 2u);
    EXPECT_EQ(integers(sve256{}, e), 2u);
    EXPECT_EQ(integers(cortex_m4f{}, e), 2u);
    EXPECT_EQ(integers(cortex_m55{}, e), 2u);
}

}  // namespace
