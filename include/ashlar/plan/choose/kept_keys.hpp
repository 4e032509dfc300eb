// SPDX-License-Identifier: BSL-1.0
// Buffers of masked scores and weights end after the last key that is computed for any query.
#pragma once

#include <ashlar/kernel/product/register_block.hpp>
#include <ashlar/plan/choose/plan_context.hpp>

namespace ashlar::inline v0_1::detail {

/// The end of the first of these blocks that reaches `reach`.
constexpr std::size_t end_of_blocks(const axis_split& blocks, std::size_t reach) {
    std::size_t end = 0;
    for (std::size_t b = 0; b < blocks.blocks && end < reach; ++b) end += blocks.size(b);
    return end;
}

/// Keys, from the first one, for which a product writes scores in a tile where no query keeps a key beyond `kept`.
/// Register blocks are computed whole.
constexpr std::size_t keys_of_product(const plan_context& c, const plan_stage& s, std::size_t tile, std::size_t kept) {
    const product_strategy& how = s.how[tile].product;
    const std::size_t keys = s.facts.columns, width = s.facts.width;
    if (c.rows_of(s, tile) == 0) return 0;
    if (s.support != s.top || how.form != product_form::blocks || s.facts.right_is_packed || s.column_block != 0 ||
        s.transposed_copy != no_stage)
        return keys;
    // Halves of packed last columns cannot be skipped.
    if (how.edge == mask_edge::halves && (how.cut.packs || how.cut.strip_steps != 1)) return keys;
    if (s.lanes == lane_axis::rows) return end_of_blocks(split_near_equal(keys, how.cut.row_blocks), kept);
    const std::size_t vectors = keys / width + (keys % width != 0 && how.cut.last_steps == 1),
                      end = width *
                            end_of_blocks(split_near_equal(vectors, how.cut.vector_blocks), (kept + width - 1) / width);
    return end >= kept && end < keys ? end : keys;
}

/// The same for any stage.
constexpr std::size_t keys_written(const plan_context& c, const plan_stage& s, std::size_t keys, std::size_t kept) {
    if (s.kind == stage_kind::softmax) return s.support == no_node || s.fill_outside ? keys : kept;
    if (s.kind != stage_kind::product) return keys;
    const std::size_t full = keys_of_product(c, s, full_tile, kept), last = keys_of_product(c, s, last_tile, kept);
    return full > last ? full : last;
}

/// Bytes of a buffer if only `written` keys along its node's last axis are written. Only its end is cut; strides do not
/// change.
constexpr std::size_t bytes_of_keys(const plan_buffer& b, const graph_node& g, std::size_t written, std::size_t width) {
    const std::ptrdiff_t key = b.strides[g.rank - 1u];
    const auto all = static_cast<std::ptrdiff_t>(b.bytes / g.element_bytes);
    std::ptrdiff_t line = all;
    for (std::size_t a = 0; a + 1 < g.rank; ++a)
        if (b.strides[a] > key && b.strides[a] < line) line = b.strides[a];
    const std::ptrdiff_t used = all - line + static_cast<std::ptrdiff_t>(written) * key;
    if (key <= 0 || used >= all) return b.bytes;
    return (static_cast<std::size_t>(used) + width - 1) / width * width * g.element_bytes;
}

/// Removes scratch for scores and weights beyond the last key that a mask's type keeps for any query, if no stage
/// writes them: `causal` with more keys than queries. Returns whether there are any; storage is then placed again.
constexpr bool leave_out_keys(program& plan, const graph_node* nodes, const machine& target) {
    const plan_context context{plan, nodes, target};
    bool any = false;
    for (buffer_index b{}; b < plan.buffer_count; ++b) {
        plan_buffer& buffer = plan.buffers[b];
        if (buffer.storage != b || buffer.node == no_node) continue;
        if (buffer.scope != no_loop && plan.loops[buffer.scope].keys) continue;
        node_index mask = no_node;
        for (std::size_t s = 0; s < plan.stage_count; ++s)
            if (const plan_stage& stage = plan.stages[s];
                stage.buffer != no_buffer && plan.buffers[stage.buffer].storage == b && stage.support != no_node &&
                (stage.kind != stage_kind::product || stage.support == stage.top))
                mask = stage.support;
        if (mask == no_node || nodes[mask].keys == nodes[mask].extents[nodes[mask].rank - 1u]) continue;
        const graph_node& g = nodes[mask];
        const std::size_t keys = g.extents[g.rank - 1u];
        std::size_t written = 0;
        for (std::size_t s = 0; s < plan.stage_count; ++s) {
            const plan_stage& stage = plan.stages[s];
            if (stage.buffer == no_buffer || plan.buffers[stage.buffer].storage != b) continue;
            const std::size_t own = stage.support == mask ? keys_written(context, stage, keys, g.keys) : keys;
            written = own > written ? own : written;
        }
        const std::size_t bytes = bytes_of_keys(buffer, g, written, target.lanes(g.element_bytes));
        any = any || bytes != buffer.bytes;
        buffer.bytes = bytes;
    }
    return any;
}

}  // namespace ashlar::detail
