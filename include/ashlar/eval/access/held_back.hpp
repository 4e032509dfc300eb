// SPDX-License-Identifier: BSL-1.0
// Plans whose destination may be what they read: a tile of rows is read to its end before any of it is written.
#pragma once

#include <ashlar/plan/build/planned.hpp>

namespace ashlar::detail {

/// The stage that writes the destination, where it does so in whole rows of a contiguous tile inside loop Loop;
/// no_axis if there is none.
template <class Plan>
consteval std::size_t held_back_stage(std::size_t loop) {
    std::size_t found = no_axis;
    for (std::size_t s = 0; s < Plan::code.stage_count; ++s) {
        const auto& stage = Plan::code.stages[s];
        if (stage.buffer != -1 || stage.store != -1) continue;
        if (found != no_axis) return no_axis;
        found = s;
    }
    if (found == no_axis) return no_axis;
    const auto& stage = Plan::code.stages[found];
    const graph_node& top = Plan::nodes[static_cast<std::size_t>(stage.top)];
    const graph_node& root = Plan::nodes[Plan::count - 1];
    if (stage.row_axis == no_axis || stage.bindings[stage.row_axis] != static_cast<std::int16_t>(loop) ||
        stage.column_axis == no_axis)
        return no_axis;
    if (top.rank != root.rank || root.rank < 2 || stage.origin != 0) return no_axis;
    std::ptrdiff_t step = 1;
    for (std::size_t a = root.rank; a-- > 0;) {
        if (top.extents[a] != root.extents[a] || (root.extents[a] != 1 && stage.strides[a] != step)) return no_axis;
        step *= static_cast<std::ptrdiff_t>(root.extents[a]);
        const std::int16_t axis = stage.top_axes[a];
        const bool is_column = a + 1u == root.rank, is_row = a + 2u == root.rank;
        if (root.extents[a] == 1) {
            if (is_column || is_row) return no_axis;
            continue;
        }
        if (axis == whole_axis || (is_column && static_cast<std::size_t>(axis) != stage.column_axis) ||
            (is_row && static_cast<std::size_t>(axis) != stage.row_axis))
            return no_axis;
    }
    return found;
}

/// The loop whose tiles can be held back; no_axis if the plan has none.
template <class Plan>
consteval std::size_t held_back_loop() {
    for (std::size_t l = 0; l < Plan::code.loop_count; ++l)
        if (Plan::code.loops[l].rows && held_back_stage<Plan>(l) != no_axis) return l;
    return no_axis;
}

/// Elements of a held-back tile.
template <class Plan>
consteval std::size_t held_back_elements() {
    constexpr std::size_t loop = held_back_loop<Plan>();
    if (loop == no_axis) return 0;
    return Plan::code.loops[loop == no_axis ? 0 : loop].tile *
           Plan::nodes[Plan::count - 1].extents[Plan::nodes[Plan::count - 1].rank - 1u];
}

/// Whether every row of the result needs of leaf `id` only the row with the same number. A single row that all of them
/// read is none of their own.
template <class Plan>
consteval bool reads_own_rows(std::size_t id) {
    const graph_node& root = Plan::nodes[Plan::count - 1];
    const auto visit = [&](auto self, std::size_t n, const binding_list& from) -> bool {
        const graph_node& g = Plan::nodes[n];
        if (n == id) {
            if (g.rank != root.rank) return false;
            for (std::size_t a = 0; a + 1u < g.rank; ++a)
                if (root.extents[a] != 1 && from[a] != static_cast<std::int16_t>(a)) return false;
            return true;
        }
        if (g.kind == node_kind::let || g.kind == node_kind::let_value)
            return self(self, static_cast<std::size_t>(g.same_as), from);
        for (std::size_t i = 0; i < g.operand_count; ++i) {
            const auto o = static_cast<std::size_t>(g.operands[i]);
            if (!self(self, o, operand_bindings(g, Plan::nodes[o], i, from))) return false;
        }
        return true;
    };
    binding_list identity = all_whole;
    for (std::size_t a = 0; a < root.rank; ++a) identity[a] = static_cast<std::int16_t>(a);
    return held_back_loop<Plan>() != no_axis && visit(visit, Plan::count - 1, identity);
}

}  // namespace ashlar::detail
