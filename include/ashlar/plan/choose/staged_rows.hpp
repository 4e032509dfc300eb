// SPDX-License-Identifier: BSL-1.0
// Loops over tiles of rows whose destination may be what they read: finished rows can be staged elsewhere until the
// tile has been read to its end.
#pragma once

#include <ashlar/plan/choose/plan_context.hpp>

namespace ashlar::detail {

/// The only stage that writes the destination; -1 if there are several.
template <std::size_t Count>
constexpr std::int16_t only_writer(const program<Count>& plan) {
    std::int16_t found = -1;
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        if (plan.stages[s].buffer != -1 || plan.stages[s].store != -1) continue;
        if (found != -1) return -1;
        found = static_cast<std::int16_t>(s);
    }
    return found;
}

/// Whether a stage writes whole rows of a dense destination, one beside the other inside each tile of its loop.
template <std::size_t Count>
constexpr bool writes_whole_rows(const plan_context<Count>& c, const plan_stage<Count>& stage) {
    const graph_node &top = c.at(stage.top), &root = c.nodes[Count - 1];
    if (stage.row_axis == no_axis || stage.column_axis == no_axis || top.rank != root.rank || root.rank < 2 ||
        stage.origin != 0)
        return false;
    std::ptrdiff_t step = 1;
    for (std::size_t a = root.rank; a-- > 0;) {
        if (top.extents[a] != root.extents[a] || (root.extents[a] != 1 && stage.strides[a] != step)) return false;
        step *= static_cast<std::ptrdiff_t>(root.extents[a]);
        const std::int16_t axis = stage.top_axes[a];
        const bool is_column = a + 1u == root.rank, is_row = a + 2u == root.rank;
        if (root.extents[a] == 1) {
            if (is_column || is_row) return false;
            continue;
        }
        if (axis == whole_axis || (is_column && static_cast<std::size_t>(axis) != stage.column_axis) ||
            (is_row && static_cast<std::size_t>(axis) != stage.row_axis))
            return false;
    }
    return true;
}

/// Tells the loop over rows whose rows can be staged which stage writes them.
template <std::size_t Count>
constexpr void stage_rows(const plan_context<Count>& c) {
    const std::int16_t writer = only_writer(c.plan);
    if (writer == -1 || !writes_whole_rows(c, c.plan.stages[c.index(writer)])) return;
    const plan_stage<Count>& stage = c.plan.stages[c.index(writer)];
    const std::int16_t loop = stage.bindings[stage.row_axis];
    if (loop == whole_axis || !c.plan.loops[c.index(loop)].rows) return;
    // A batch inside the tile would be written in several places.
    for (std::size_t l = 0; l < c.plan.loop_count; ++l)
        if (!c.plan.loops[l].columns && static_cast<std::int16_t>(l) != loop &&
            is_loop_inside(c.plan, static_cast<std::int16_t>(l), loop) &&
            is_loop_inside(c.plan, stage.loop, static_cast<std::int16_t>(l)))
            return;
    c.plan.loops[c.index(loop)].staged = writer;
}

}  // namespace ashlar::detail
