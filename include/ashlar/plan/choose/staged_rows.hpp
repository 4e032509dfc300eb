// SPDX-License-Identifier: BSL-1.0
// Loops over tiles of rows whose destination may overlap their operands: finished rows can wait elsewhere until the
// whole tile has been read.
#pragma once

#include <ashlar/plan/choose/plan_context.hpp>

namespace ashlar::inline v0_1::detail {

/// The only stage that writes the destination; no_stage if there are several.
constexpr stage_index only_writer(const program& plan) {
    stage_index found = no_stage;
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        if (plan.stages[s].buffer != no_buffer || plan.stages[s].store != no_node) continue;
        if (found != no_stage) return no_stage;
        found = index_at<stage_index>(s);
    }
    return found;
}

/// Whether a stage writes whole consecutive rows of a dense destination in each tile of its loop.
constexpr bool writes_whole_rows(const plan_context& c, const plan_stage& stage) {
    const graph_node &top = c.at(stage.top), &root = c.nodes[c.plan.node_count - 1];
    if (stage.row_axis == no_axis || stage.column_axis == no_axis || top.rank != root.rank || root.rank < 2 ||
        stage.origin != 0)
        return false;
    std::ptrdiff_t step = 1;
    for (std::size_t a = root.rank; a-- > 0;) {
        if (top.extents[a] != root.extents[a] || (root.extents[a] != 1 && stage.strides[a] != step)) return false;
        step *= static_cast<std::ptrdiff_t>(root.extents[a]);
        const std::size_t axis = stage.top_axes[a];
        const bool is_column = a + 1u == root.rank, is_row = a + 2u == root.rank;
        if (root.extents[a] == 1) {
            if (is_column || is_row) return false;
            continue;
        }
        if (axis == no_axis || (is_column && axis != stage.column_axis) || (is_row && axis != stage.row_axis))
            return false;
    }
    return true;
}

/// Tells a loop over rows that can be staged which stage writes them.
constexpr void stage_rows(const plan_context& c) {
    const stage_index writer = only_writer(c.plan);
    if (writer == no_stage || !writes_whole_rows(c, c.plan.stages[writer])) return;
    const plan_stage& stage = c.plan.stages[writer];
    const loop_index loop = stage.bindings[stage.row_axis];
    if (loop == whole_axis || !c.plan.loops[loop].rows) return;
    // A batch inside the tile would be written in several places.
    for (loop_index l{}; l < c.plan.loop_count; ++l)
        if (!c.plan.loops[l].columns && l != loop && is_loop_inside(c.plan, l, loop) &&
            is_loop_inside(c.plan, stage.loop, l))
            return;
    c.plan.loops[loop].staged = writer;
}

}  // namespace ashlar::detail
