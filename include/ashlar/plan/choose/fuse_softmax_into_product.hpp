// SPDX-License-Identifier: BSL-1.0
// The fusion of a softmax, rows in lanes, with the product of its numerators: the exponentials of some rows are
// computed beside the multiply-adds of the rows before them.
#pragma once

#include <ashlar/kernel/product/product_cut.hpp>
#include <ashlar/plan/choose/stage_facts.hpp>

namespace ashlar::detail {

/// Elements of a tile for which it is worth while.
inline constexpr std::size_t least_fused_elements = 256;

/// Whether the two stages do it for the rows of a tile: there are rows to go before and rows to go beside them, in
/// whole registers, room for both in the register file, and all of it takes long enough to matter.
constexpr bool fuses_softmax_into_product(const plan_context& c, const plan_stage& softmax, const plan_stage& product,
                                          std::size_t tile) {
    if (softmax.kind != stage_kind::softmax || softmax.lanes != lane_axis::rows || softmax.row_axis == no_axis ||
        softmax.maxima == no_buffer)
        return false;
    if (product.kind != stage_kind::product || product.lanes != lane_axis::columns ||
        product.left_factor != softmax.core || product.maxima != no_buffer || product.row_axis == no_axis ||
        product.column_block != 0 || product.bindings[product.row_axis] != softmax.bindings[softmax.row_axis])
        return false;
    const std::size_t rows = c.rows_of(softmax, tile), width = c.width_of(softmax);
    if (rows % width != 0 || rows / width < 2 || c.rows_of(product, tile) != rows) return false;
    if (c.target.registers < 32 || width < 4 || rows * c.columns_of(softmax) < least_fused_elements) return false;
    const product_facts& facts = product.facts;
    return !facts.right_is_packed && facts.masked == no_node && facts.width == width && facts.left_row == 1;
}

/// Cuts the product into a whole number of register blocks for each register of rows, and spreads the exponentials, one
/// for each column, over what they pass of the depth: half of that where a mask may end it.
constexpr void pace_exponentials(const plan_context& c, plan_stage& product, std::size_t tile) {
    constexpr std::size_t most_steps = 16, granule = key_group / 4;
    const product_facts& facts = product.facts;
    const std::size_t rows = c.rows_of(product, tile), width = facts.width;
    product_strategy& how = product.how[tile].product;
    how.granule = static_cast<std::uint8_t>(facts.ranged && width % granule == 0 ? granule : width);
    how.cut = choose_cut(shape_of_columns(facts, rows, facts.columns, facts.right_depth), elements_of(c, product),
                         {.packs = false, .granule = how.granule});
    const std::size_t passes = how.cut.row_blocks / (rows / width) * how.cut.vector_blocks,
                      steps = passes > most_steps ? most_steps : passes;
    how.period = static_cast<std::uint16_t>(facts.ranged && steps > 1 ? steps / 2 : steps);
}

}  // namespace ashlar::detail
