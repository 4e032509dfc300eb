// SPDX-License-Identifier: BSL-1.0
// Attention in blocks of keys with a running maximum (Milakov and Gimelshein 2018, Rabe and Staats 2021). A tile holds
// the scores of one block, so scratch does not grow with the keys.
//
// The pass puts a loop over blocks around the product of the scores, their softmax and the product with the values.
// When a row's maximum grows from one block to the next, the row's sum and its weighted values, which wait in scratch,
// are rescaled. The last block begins early enough to be full. Keys that it repeats take no part.
#pragma once

#include <bit>
#include <numeric>

#include <ashlar/expr/masks/count.hpp>
#include <ashlar/plan/choose/stage_facts.hpp>
#include <ashlar/plan/choose/tile_rows.hpp>

namespace ashlar::inline v0_1::detail {

/// Bytes of the scores of a block. With 16 registers, whose blocks of sums read scores and values many times, half of
/// L1: attention to 1,024 keys takes 1.5 to 2% less time than with an eighth of L2, and so do 256x4096 and 512x1024 of
/// 128 (Zen 3, AVX2). Twice as much if a mask ends the blocks of some rows early: that gains, half of L1 does not.
constexpr std::size_t block_bytes(bool masked, const machine& target) {
    const std::size_t of_l2 = target.l2_bytes / 8, of_l1 = masked ? target.l1_bytes : target.l1_bytes / 2;
    return target.registers >= 32 || of_l1 > of_l2 ? of_l2 : of_l1;
}

/// Whether a tile's scores are computed in blocks: if they, the keys and the values compete for L2. With 16 registers
/// and AVX2, blocks of 512 take the same time for 1,024 keys (5% less if L2 is small), 7 to 10% less for 2,048 and 12%
/// less for 8,192; 512 keys lose 1%. With 32 registers larger blocks of sums read keys and values less often, and
/// blocks would cost 1% at 2,048 keys. So they begin where scratch would exceed L2. Blocks also serve scores that leave
/// little of the stack budget, if a block takes at most half of it: otherwise calls without a workspace could have more
/// keys, but not these.
constexpr bool leave_the_cache(std::size_t score_bytes, const machine& target) {
    const std::size_t budget = target.stack_budget;
    if (block_bytes(true, target) <= budget / 2 && score_bytes > budget - budget / 16) return true;
    return target.registers >= 32 ? score_bytes > target.l2_bytes / 2 : score_bytes >= target.l2_bytes / 4;
}

/// Rows of a tile's scores in scratch. With rows in lanes: whole registers, or one line of few rows.
constexpr std::size_t rows_in_scratch(std::size_t rows, bool in_lanes, std::size_t width) {
    if (!in_lanes) return rows;
    return rows < width ? std::bit_ceil(rows) : (rows + width - 1) / width * width;
}

/// Keys of a block. Blocks are near-equal and have whole groups of keys, or whole blocks of columns if keys are stored
/// in such. All keys if they are fewer.
constexpr std::size_t keys_of_block(std::size_t keys, std::size_t key_bytes, std::size_t column_block, bool masked,
                                    const machine& target) {
    const std::size_t granule = column_block == 0 ? key_group : std::lcm(key_group, column_block);
    const std::size_t fitting = block_bytes(masked, target) / key_bytes, most = fitting < granule ? granule : fitting,
                      blocks = (keys + most - 1) / most,
                      size = ((keys + blocks - 1) / blocks + granule - 1) / granule * granule;
    return size < keys && (column_block == 0 || keys % column_block == 0) ? size : keys;
}

/// Three consecutive stages of one loop: scores, their softmax, and the product of its numerators.
struct attention_stages {
    stage_index scores = no_stage, softmax = no_stage, values = no_stage;
};

/// Whether a buffer holds the scores of one batch entry's tile, rows by keys.
constexpr bool holds_one_matrix(const plan_context& c, const plan_buffer& b, const plan_stage& scores) {
    const graph_node& g = c.at(b.node);
    for (std::size_t a = 0; a + 1 < g.rank; ++a)
        if (g.extents[a] != 1 && b.bindings[a] == whole_axis && scores.top_axes[a] != scores.row_axis) return false;
    return b.bindings[g.rank - 1u] == whole_axis && scores.top_axes[g.rank - 1u] == scores.column_axis;
}

/// Whether one stage is the only reader of a buffer.
constexpr bool is_only_reader(const plan_context& c, buffer_index buffer, stage_index reader) {
    for (stage_index s{}; s < c.plan.stage_count; ++s)
        if (s != reader && c.reads(c.plan.stages[s], buffer)) return false;
    return c.reads(c.plan.stages[reader], buffer);
}

/// Whether these stages may process keys in blocks: no other stage reads scores or weights, the scores are one matrix
/// that numerators replace, and the first key of a block locates it in the operands.
constexpr bool can_block_keys(const plan_context& c, const attention_stages& found) {
    if (found.scores == no_stage || found.softmax == no_stage || found.values == no_stage) return false;
    const plan_stage &scores = c.plan.stages[found.scores], &softmax = c.plan.stages[found.softmax],
                     &values = c.plan.stages[found.values];
    if (scores.kind != stage_kind::product || softmax.kind != stage_kind::softmax ||
        values.kind != stage_kind::product || scores.buffer == no_buffer || softmax.buffer == no_buffer)
        return false;
    const graph_node& g = c.at(softmax.core);
    // One use only: a later reader would see the weights of the last block alone.
    if (g.uses != 1 || g.variant != 0 || g.axis + 1u != g.rank || softmax.column_axis != g.axis ||
        softmax.fill_outside || values.left_factor != softmax.core || scores.store != no_node ||
        !c.same_elements(scores.top, scores.core) || !c.same_elements(scores.top, softmax.core) ||
        !c.same_elements(scores.core, values.core))
        return false;
    const plan_buffer &made = c.plan.buffers[scores.buffer], &numerators = c.plan.buffers[softmax.buffer];
    if (numerators.storage != scores.buffer || made.storage != scores.buffer || c.resolve(softmax.top) != made.node ||
        !holds_one_matrix(c, made, scores) || !is_only_reader(c, scores.buffer, found.softmax) ||
        !is_only_reader(c, softmax.buffer, found.values))
        return false;
    if (values.lanes == lane_axis::depth || values.column_axis == no_axis ||
        values.bindings[values.column_axis] != whole_axis || c.at(c.resolve(values.top)).kind == node_kind::masked)
        return false;
    const product_facts of_scores = find_facts(c, scores), of_values = find_facts(c, values);
    return !of_scores.right_is_packed && !of_values.right_is_packed && of_values.excludes == of_values.ranged &&
           values.support == softmax.support && of_values.depth == g.extents[g.axis] &&
           of_values.left_depth == numerators.strides[g.axis];
}

/// Adds one number for each row of a tile, besides those of the softmax.
constexpr buffer_index add_row_numbers(program& plan, const plan_stage& softmax, buffer_role role) {
    const auto index = index_at<buffer_index>(plan.buffer_count++);
    plan.buffers[index] = plan.buffers[softmax.second_buffer];
    plan.buffers[index].role = role;
    plan.buffers[index].storage = index;
    return index;
}

/// Shrinks a buffer to one block of the scores.
constexpr void hold_block(plan_buffer& b, const plan_loop& blocks, loop_index loop, std::size_t rank, std::size_t width,
                          std::size_t element_bytes) {
    const auto keys = static_cast<std::ptrdiff_t>(blocks.tile), all = static_cast<std::ptrdiff_t>(blocks.extent);
    std::ptrdiff_t& key = b.strides[rank - 1u];
    if (key == 1)
        for (std::size_t a = 0; a + 1 < rank; ++a)
            if (b.strides[a] >= all) b.strides[a] = keys;
    const auto lines = static_cast<std::ptrdiff_t>(b.bytes / element_bytes) / all;
    const auto elements = static_cast<std::size_t>(lines * keys);
    b.bytes = (elements + width - 1) / width * width * element_bytes;
    b.bindings[rank - 1u] = loop;
    b.scope = loop;
}

/// Puts a loop over blocks of `keys` keys around the stages.
constexpr void block_stages(const plan_context& c, std::size_t item, const attention_stages& found, std::size_t keys) {
    program& plan = c.plan;
    plan_stage &scores = plan.stages[found.scores], &softmax = plan.stages[found.softmax],
               &values = plan.stages[found.values];
    const std::size_t rank = c.at(softmax.core).rank, extent = c.at(softmax.core).extents[rank - 1u];
    const auto loop = index_at<loop_index>(plan.loop_count++);
    plan_loop blocks;
    blocks.parent = plan.items[item].parent;
    blocks.extent = extent;
    blocks.tile = keys;
    blocks.columns = blocks.keys = true;
    blocks.is_closed = true;
    plan.loops[loop] = blocks;

    plan_item around;
    around.parent = blocks.parent;
    around.loop = loop;
    for (std::size_t i = item; i < plan.item_count; ++i)
        if (const stage_index s = plan.items[i].stage;
            s != no_stage && (s == found.scores || s == found.softmax || s == found.values))
            plan.items[i].parent = loop;
    for (std::size_t i = plan.item_count++; i > item; --i) plan.items[i] = plan.items[i - 1];
    plan.items[item] = around;

    const std::size_t width = c.target.lanes(c.at(scores.core).element_bytes),
                      element_bytes = c.at(scores.core).element_bytes;
    for (const buffer_index b : {scores.buffer, softmax.buffer})
        hold_block(plan.buffers[b], blocks, loop, rank, width, element_bytes);
    scores.strides = plan.buffers[scores.buffer].strides;
    softmax.strides = plan.buffers[softmax.buffer].strides;
    scores.loop = softmax.loop = values.loop = loop;
    scores.bindings[scores.column_axis] = softmax.bindings[softmax.column_axis] = loop;
    values.depth_loop = loop;

    softmax.running_maxima = add_row_numbers(plan, softmax, buffer_role::running_maxima);
    softmax.corrections = values.corrections = add_row_numbers(plan, softmax, buffer_role::corrections);
    const graph_node& core = c.at(values.core);
    const std::size_t rows = c.rows_of(values, full_tile), columns = core.extents[core.rank - 1u],
                      in_lanes = values.lanes == lane_axis::rows ? rows : columns,
                      others = values.lanes == lane_axis::rows ? columns : rows;
    values.waiting = index_at<buffer_index>(plan.buffer_count);
    plan_buffer waiting;
    waiting.node = values.core;
    waiting.role = buffer_role::waiting;
    waiting.scope = blocks.parent;
    waiting.storage = values.waiting;
    waiting.bytes = others * ((in_lanes + width - 1) / width * width) * element_bytes;
    plan.buffers[plan.buffer_count++] = waiting;
}

/// Puts loops over blocks of keys where tiles of scores would exceed L2.
constexpr void block_keys(program& plan, const graph_node* nodes, const machine& target) {
    const plan_context context{plan, nodes, target};
    for (std::size_t i = 0; i < plan.item_count; ++i) {
        const std::size_t second = context.next_item(i), third = context.next_item(second);
        const attention_stages found{context.stage_at(i), context.stage_at(second), context.stage_at(third)};
        if (!can_block_keys(context, found)) continue;
        const plan_stage& scores = plan.stages[found.scores];
        const graph_node& g = nodes[scores.core];
        const bool in_lanes = plan.buffers[scores.buffer].strides[g.rank - 1u] != 1;
        const std::size_t all_rows = scores.row_axis == no_axis ? 1 : g.extents[scores.row_axis],
                          rows = rows_in_scratch(all_rows < tall_tile_rows ? all_rows : tall_tile_rows, in_lanes,
                                                 target.lanes(g.element_bytes)),
                          keys = g.extents[g.rank - 1u];
        if (!leave_the_cache(rows * keys * g.element_bytes, target)) continue;
        const std::size_t size = keys_of_block(keys, rows * g.element_bytes, scores.column_block,
                                               plan.stages[found.softmax].support != no_node, target);
        if (size < keys) block_stages(context, i, found, size);
    }
}

}  // namespace ashlar::detail
