// SPDX-License-Identifier: BSL-1.0
// Operands of f16 and bf16: which products convert them at their loads, and which read a copy.
#include <type_traits>

#include <gtest/gtest.h>

#include "support/plans.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using detail::lane_axis;
using support::code_of, support::copies, support::x;

template <auto... Dims>
tensor<bf16, Dims...>& narrow() {
    static tensor<bf16, Dims...> t{};
    return t;
}

/// The only product.
template <class Config = avx512>
constexpr detail::plan_stage product_of(const auto& e) {
    return support::stage_of<Config>(e, support::stage_kind::product);
}

TEST(narrow_operands, rows_are_converted_beside_their_loads) {
    const auto check = [](const auto& e) {
        EXPECT_EQ(copies(e), 0u);
        EXPECT_EQ(copies<avx2>(e), 0u);
        const auto s = product_of(e);
        EXPECT_EQ(s.lanes, lane_axis::columns);
        EXPECT_TRUE(s.facts.right_is_narrow);
        EXPECT_FALSE(s.how[0].product.cut.packs);
        EXPECT_EQ(s.how[0].product.cut.strip_steps, 1u);
    };
    check(matmul(x<1, 64>(), narrow<64, 48>()));
    check(matmul(x<20, 64>(), narrow<64, 50>()));
    check(matmul(x<128, 384>(), narrow<384, 1536>()));
    EXPECT_FALSE(product_of(matmul(x<20, 64>(), x<64, 48>())).facts.right_is_narrow);
}
TEST(narrow_operands, rows_from_behind_the_l2_are_asked_for) {
    const auto e = matmul(x<16, 1000>(), narrow<1000, 1056>());
    EXPECT_TRUE(product_of(e).how[0].product.prefetches);
    EXPECT_TRUE(product_of<avx2>(e).how[0].product.prefetches);
    EXPECT_FALSE(product_of(matmul(x<16, 100>(), narrow<100, 1056>())).how[0].product.prefetches);
}
TEST(narrow_operands, panels_are_converted_beside_their_loads) {
    static packed<bf16, 64, 48> w{};
    const auto e = matmul(x<20, 64>(), w);
    EXPECT_EQ(copies(e), 0u);
    EXPECT_TRUE(product_of(e).facts.right_is_narrow && product_of(e).facts.right_is_packed);
    static_assert(packed<bf16, 64, 48>::panel == packed<float, 64, 48>::panel && sizeof w == 64 * 48 * 2);
}
TEST(narrow_operands, few_rows_are_dot_products_with_columns) {
    const auto few = matmul(x<4, 64>(), transpose(narrow<100, 64>()));
    EXPECT_EQ(copies(few), 0u);
    EXPECT_EQ(product_of(few).lanes, lane_axis::depth);
    EXPECT_TRUE(product_of(few).facts.right_is_narrow);
}
TEST(narrow_operands, many_rows_read_a_copy_of_columns) {
    const auto many = matmul(x<40, 64>(), transpose(narrow<100, 64>()));
    EXPECT_EQ(copies(many), 1u);
    EXPECT_EQ(product_of(many).lanes, lane_axis::columns);
    EXPECT_FALSE(product_of(many).facts.right_is_narrow);
    const auto some = matmul(x<20, 64>(), transpose(narrow<100, 64>()));
    EXPECT_EQ(copies(some), 1u) << "also where floats would be read where they lie";
    EXPECT_EQ(product_of(some).lanes, lane_axis::columns);
    // Copies that would be large are not made.
    const auto table = matmul(x<40, 64>(), transpose(narrow<5000, 64>()));
    EXPECT_EQ(copies(table), 0u);
    EXPECT_EQ(product_of(table).lanes, lane_axis::depth);
}
TEST(narrow_operands, left_operands_are_copied) {
    EXPECT_EQ(copies(matmul(narrow<20, 64>(), x<64, 48>())), 1u);
    EXPECT_EQ(copies(matmul(narrow<4, 64>(), transpose(x<48, 64>()))), 1u);
}
TEST(narrow_operands, copies_that_turn_columns_into_rows_are_computed) {
    using expression = decltype(matmul(x<40, 64>(), transpose(narrow<100, 64>())));
    constexpr const auto& code = code_of<avx512, expression>;
    static_assert(code.stages[0].kind == detail::stage_kind::map);
    EXPECT_EQ(code.stages[0].how[0].map.form, detail::map_form::columns_in_lanes);
    EXPECT_EQ(code.fusion_count, 0u) << "the product does not make the copy either";
}
TEST(narrow_operands, sums_do_not_wait_in_a_narrow_result) {
    const auto e = gelu(matmul(x<16, 384>(), narrow<384, 64>()));
    using plain = std::remove_const_t<decltype(e)>;
    EXPECT_EQ(product_of<avx2>(e).how[0].product.epilogue, detail::epilogue_time::reloaded);
    EXPECT_EQ(product_of<avx2>(detail::narrowing<bf16, plain>(detail::narrowed<bf16>(e))).how[0].product.epilogue,
              detail::epilogue_time::block_end);
}
TEST(narrow_operands, scores_leave_the_registers_for_narrow_values) {
    const auto attended = [](const auto& k, const auto& v) { return attention(x<8, 16>(), k, v); };
    const auto fusions = [](const auto& e) { return code_of<avx512, std::remove_cvref_t<decltype(e)>>.fusion_count; };
    EXPECT_EQ(fusions(attended(x<8, 16>(), x<8, 16>())), 1u);
    EXPECT_EQ(fusions(attended(x<8, 16>(), narrow<8, 16>())), 0u);
}
TEST(narrow_operands, blocks_of_keys_are_converted_beside_their_loads) {
    static tensor<bf16, 2, 4, 16, 64> blocks{};
    const auto keys = reshape<2, 256, 16>(permute<0, 1, 3, 2>(blocks));
    const auto e = matmul(x<2, 1, 16>(), transpose(keys));
    EXPECT_EQ(copies(e), 0u);
    EXPECT_EQ(product_of(e).column_block, 64u);
    EXPECT_TRUE(product_of(e).facts.right_is_narrow);
}

TEST(narrow_operands, are_explained) {
    const auto e = matmul(x<40, 64>(), transpose(narrow<100, 64>()));
    EXPECT_TRUE(support::shows<current_config>(e, "b [64, 100] by columns in 16 bits through a copy"));
    EXPECT_TRUE(support::shows<current_config>(e, "copy      t1 = b"));
}

}  // namespace
