// SPDX-License-Identifier: BSL-1.0
// Which products multiply two elements of bf16 per multiply-add: those with operands of bf16 only, on machines with
// such an instruction.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <gtest/gtest.h>

#include "support/plans.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using support::x;

template <auto Rows, auto Columns>
packed<bf16, Rows, Columns>& weights() {
    static packed<bf16, Rows, Columns> w{};
    return w;
}

/// The last product of an expression, and its table.
struct found_product {
    detail::product_strategy how{}, of_last_tile{};
    std::size_t table_bytes = 0;
};
template <class Config = avx512_bf16, class Expression>
constexpr found_product product_of(const Expression&) {
    constexpr const auto& code = support::code_of<Config, Expression>;
    found_product found;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        if (const auto& stage = code.stages[s]; stage.kind == detail::stage_kind::product)
            found = {stage.how[0].product, stage.how[1].product,
                     stage.table == detail::no_buffer ? 0 : code.buffers[stage.table].bytes};
    return found;
}
template <class Config = avx512_bf16, class Expression>
constexpr unsigned group_of(const Expression& e) {
    return product_of<Config>(e).how.group;
}

TEST(pairs_of_bf16, rounded_rows_by_packed_bf16) {
    const auto e = matmul(cast<bf16>(x<8, 64>()), weights<64, 48>());
    EXPECT_EQ(group_of(e), 2u);
    EXPECT_EQ(product_of(e).table_bytes, 8u * 32 * 4);
    EXPECT_EQ(product_of(matmul(cast<bf16>(x<8, 65>()), weights<65, 48>())).table_bytes, 8u * 33 * 4);
    EXPECT_EQ(group_of(matmul(cast<bf16>(x<1, 64>()), weights<64, 48>())), 2u);
    EXPECT_EQ(group_of(gelu(matmul(cast<bf16>(x<8, 64>()), weights<64, 48>()) + x<48>())), 2u);
}
TEST(pairs_of_bf16, the_last_tile_as_well) {
    const auto found = product_of(matmul(cast<bf16>(x<131, 384>()), weights<384, 64>()));
    EXPECT_EQ(found.of_last_tile.group, 2u);
}
TEST(pairs_of_bf16, memory_of_bf16_and_what_only_moves_it) {
    static tensor<bf16, 8, 64> narrow{};
    static tensor<bf16, 64, 8> turned{};
    EXPECT_EQ(group_of(matmul(narrow, weights<64, 48>())), 2u);
    EXPECT_EQ(group_of(matmul(transpose(turned), weights<64, 48>())), 2u);
    EXPECT_EQ(group_of(matmul(slice<0, 0, 4>(cast<bf16>(x<8, 64>())), weights<64, 48>())), 2u);
    EXPECT_EQ(group_of(let(cast<bf16>(x<8, 64>()),
                           [](const auto& y) { return matmul(y, weights<64, 48>()) + matmul(y, weights<64, 48>()); })),
              2u);
}
TEST(pairs_of_bf16, all_others_multiply_floats) {
    static packed<f16, 64, 48> half{};
    static tensor<bf16, 64, 48> rows{};
    static tensor<bf16, 8, 64> narrow{};
    EXPECT_EQ(group_of(matmul(x<8, 64>(), weights<64, 48>())), 1u) << "nobody has rounded these";
    EXPECT_EQ(group_of(matmul(narrow * 2.0f, weights<64, 48>())), 1u);
    EXPECT_EQ(group_of(matmul(cast<f16>(x<8, 64>()), weights<64, 48>())), 1u);
    EXPECT_EQ(group_of(matmul(cast<bf16>(x<8, 64>()), half)), 1u);
    EXPECT_EQ(group_of(matmul(cast<bf16>(x<8, 64>()), x<64, 48>())), 1u);
    EXPECT_EQ(group_of(matmul(cast<bf16>(x<8, 64>()), rows)), 1u) << "panels alone";
    EXPECT_EQ(group_of(matmul(cast<bf16>(x<8, 1>()), weights<1, 48>())), 1u);
    EXPECT_EQ(group_of(matmul(softmax(masked(x<8, 64>(), causal)), weights<64, 48>())), 1u);
}
TEST(pairs_of_bf16, machines_without_the_instruction_multiply_floats) {
    const auto e = matmul(cast<bf16>(x<8, 64>()), weights<64, 48>());
    EXPECT_EQ(group_of<avx512>(e), 1u);
    EXPECT_EQ(group_of<aarch64>(e), 1u);
    EXPECT_EQ(product_of<avx512>(e).table_bytes, 0u);
}
TEST(pairs_of_bf16, aarch64_has_it_in_registers_that_are_no_scalable_ones) {
    constexpr std::uint64_t sets = aarch64_bf16::instruction_sets;
    const auto e = matmul(cast<bf16>(x<8, 64>()), weights<64, 48>());
    EXPECT_EQ(group_of<aarch64_bf16>(e), 2u);
    EXPECT_EQ(product_of<aarch64_bf16>(e).table_bytes, 8u * 32 * 4);
    using sve128 = built_for<(sets | std::uint64_t{128} << 32), 128, 32>;
    using sve256_bf16 = built_for<(sets | std::uint64_t{256} << 32), 256, 32>;
    EXPECT_EQ(group_of<sve128>(e), 1u);
    EXPECT_EQ(group_of<sve256_bf16>(e), 1u);
}
TEST(pairs_of_bf16, emulated_registers_have_no_instruction) {
    constexpr std::uint64_t emulated512 = std::uint64_t{512} << 48, emulated128 = std::uint64_t{128} << 48;
    const auto e = matmul(cast<bf16>(x<8, 64>()), weights<64, 48>());
    EXPECT_EQ((group_of<built_for<(avx512_bf16::instruction_sets | emulated512), 512, 16>>(e)), 1u);
    EXPECT_EQ((group_of<built_for<(aarch64_bf16::instruction_sets | emulated128), 128, 16>>(e)), 1u);
}
// Rows are interleaved on the way into registers, and sums that are many would not stay there.
TEST(pairs_of_bf16, blocks_leave_registers_for_rows_that_are_interleaved) {
    for (std::size_t rows = 1; rows < 70; ++rows) {
        detail::product_shape shape = detail::in_groups({.i = rows, .j = 16, .k = 384, .si = 0, .sk = 1, .vk = 16}, 2);
        constexpr auto on = detail::element_machine_of<float, aarch64_bf16>;
        const detail::register_block pairs = detail::choose_blocks(shape, on, {.packs = false});
        EXPECT_LE(pairs.rows.large * pairs.vectors.large * pairs.chains, rows == 1 ? 16u : 20u) << rows;
    }
}
TEST(pairs_of_bf16, are_explained) {
    const auto e = matmul(cast<bf16>(x<8, 64>()), weights<64, 48>());
    const bool pairs = detail::machine_of<current_config>.bf16_pairs;
    EXPECT_EQ(support::shows<current_config>(e, "t2 = the left rows as pairs of bf16, one multiply-add each"), pairs);
    EXPECT_EQ(workspace_bytes<decltype(e)>, 8u * 64 * 4 + (pairs ? 8u * 32 * 4 : 0u));
}

}  // namespace
