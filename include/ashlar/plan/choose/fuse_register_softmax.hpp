// SPDX-License-Identifier: BSL-1.0
// Fuses a softmax of few rows with the products before and after it. Values stay in registers from the first
// multiply-add to the last.
//
// Memory between the stages would cost a store, a load and a wait, each about as long as the arithmetic. Only scores
// that are scaled or mapped alike fit, because a lane does not know its row and column.
#pragma once

#include <ashlar/plan/choose/stage_facts.hpp>

namespace ashlar::inline v0_1::detail {

/// Three consecutive stages: a product, its softmax, and the product with the softmax.
struct softmax_chain {
    stage_index scores = no_stage, softmax = no_stage, values = no_stage;
};

/// Whether only the chain uses the values between its stages.
constexpr bool is_closed(const plan_context& c, const softmax_chain& chain) {
    const plan_stage &scores = c.plan.stages[chain.scores], &softmax = c.plan.stages[chain.softmax];
    for (stage_index s{}; s < c.plan.stage_count; ++s) {
        if (s == chain.scores || s == chain.softmax || s == chain.values) continue;
        bool used = false;
        c.each_buffer(c.plan.stages[s], [&](buffer_index b) {
            used =
                used || b == scores.buffer || b == scores.maxima || b == softmax.buffer || b == softmax.second_buffer;
        });
        if (used) return false;
    }
    return true;
}

/// Whether the stages are such a chain over the same rows.
constexpr bool is_softmax_chain(const plan_context& c, const softmax_chain& chain) {
    if (chain.scores == no_stage || chain.softmax == no_stage || chain.values == no_stage) return false;
    const plan_stage &scores = c.plan.stages[chain.scores], &softmax = c.plan.stages[chain.softmax],
                     &values = c.plan.stages[chain.values];
    if (scores.kind != stage_kind::product || softmax.kind != stage_kind::softmax ||
        values.kind != stage_kind::product || scores.lanes != lane_axis::rows || softmax.lanes != lane_axis::rows ||
        values.lanes == lane_axis::depth)
        return false;
    if (scores.maxima == no_buffer || softmax.maxima != scores.maxima || values.maxima != no_buffer ||
        values.left_factor != softmax.core || scores.support != no_node || softmax.support != no_node ||
        scores.left_factor != no_node || scores.column_block != 0 || values.column_block != 0)
        return false;
    if (scores.row_axis == no_axis || softmax.row_axis == no_axis || values.row_axis == no_axis) return false;
    const loop_index rows = softmax.bindings[softmax.row_axis];
    if (scores.bindings[scores.row_axis] != rows || values.bindings[values.row_axis] != rows) return false;
    return c.at(softmax.core).uses == 1 && !c.at(softmax.core).is_weighted &&
           c.resolve(c.at(values.core).operands[0]) == softmax.core && is_closed(c, chain);
}

/// How the chain runs in registers for the rows of a tile; fusion::none if it cannot.
constexpr fusion fusion_of_chain(const plan_context& c, const softmax_chain& chain, std::size_t tile) {
    const plan_stage &scores = c.plan.stages[chain.scores], &softmax = c.plan.stages[chain.softmax],
                     &values = c.plan.stages[chain.values];
    const std::size_t rows = c.rows_of(softmax, tile), width = c.width_of(softmax), registers = c.target.registers;
    const std::size_t bytes = c.at(scores.core).element_bytes;
    if (rows < 2 || rows > width || c.width_of(scores) != width || c.width_of(values) != width ||
        c.rows_of(scores, tile) != rows || c.rows_of(values, tile) != rows)
        return fusion::none;
    if (!c.target.shuffles(bytes) || !c.same_elements(scores.top, scores.core) ||
        !c.same_elements(softmax.core, scores.core) || !c.same_elements(values.core, scores.core))
        return fusion::none;
    // Scores are sums in registers, next to their operands, and their epilogue does not need their position.
    const product_facts& a = scores.facts;
    const std::size_t keys = a.columns, line = 2 * rows <= width ? packed_k_line(rows) : width, packs = width / line;
    const bool packed = packs_k(a, scores.lanes, rows);
    const bool operand_fits = packed || (packs == 1 && a.left_row == 1 && (rows == width || a.left_is_padded));
    const std::size_t beside = packed ? (a.depth < width ? a.depth : width) / packs : 1;
    if (a.right_is_packed || values.facts.right_is_narrow || keys < 2 || !operand_fits ||
        keys + beside + 2 > registers || 4 * keys > 3 * registers || !a.uniform)
        return fusion::none;
    const softmax_facts numerators = facts_of_softmax(c, softmax);
    if (!numerators.plain) return fusion::none;
    const product_facts& b = values.facts;
    const std::size_t vectors = (keys + packs - 1) / packs;
    if (!b.right_is_packed && b.masked == no_node && !b.excludes && b.right_column == 1) {
        // Narrow values are weighted in registers.
        const bool divides = b.columns % packs == 0 &&
                             (values.lanes == lane_axis::rows || (2 * b.columns <= width && width % b.columns == 0));
        if (divides && vectors + b.columns / packs + 4 <= registers) return fusion::register_softmax;
        // The product with wide values is code without loops if it is short and has enough independent sums.
        const std::size_t sums = rows * (b.columns / width);
        const bool waits = keys > 8 && keys > 2 * sums;
        if (values.lanes != lane_axis::rows && b.columns % width == 0 && 2 * sums + 8 <= registers &&
            keys * sums <= 96 && !waits)
            return fusion::register_softmax_of_vectors;
    }
    // If the values are too wide, numerators are stored in the order in which their product reads them.
    const bool in_order = packs == 1 ? numerators.whole_lines : is_stored_in_groups(numerators, rows);
    return in_order ? fusion::register_softmax_to_memory : fusion::none;
}

/// Removes the memory of buffers that stay in registers in all tiles.
constexpr void drop_storage(const plan_context& c, const plan_fusion& fused) {
    const plan_stage &scores = c.plan.stages[fused.stages[0]], &softmax = c.plan.stages[fused.stages[1]];
    bool all = true, to_memory = false;
    for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
        if (c.rows_of(softmax, tile) == 0) continue;
        all = all && in_registers(fused.how[tile]);
        to_memory = to_memory || fused.how[tile] == fusion::register_softmax_to_memory;
    }
    if (!all) return;
    const auto drop = [&](buffer_index b) {
        c.plan.buffers[b].in_registers = true;
        c.plan.buffers[b].bytes = 0;
    };
    drop(scores.maxima);
    if (to_memory) return;
    drop(scores.buffer);
    drop(softmax.buffer);
    drop(softmax.second_buffer);
}

}  // namespace ashlar::detail
