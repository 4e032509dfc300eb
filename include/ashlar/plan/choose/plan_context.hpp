// SPDX-License-Identifier: BSL-1.0
// What the passes over a program work on: the program, its nodes and the machine, and the questions that they share.
#pragma once

#include <ashlar/kernel/machine.hpp>
#include <ashlar/plan/build/program.hpp>

namespace ashlar::detail {

template <std::size_t Count>
struct plan_context {
    program<Count>& plan;
    const std::array<graph_node, Count>& nodes;
    const machine& target;

    using stage = plan_stage<Count>;

    static constexpr std::size_t index(std::int16_t i) { return static_cast<std::size_t>(i); }
    constexpr const graph_node& at(std::int16_t n) const { return nodes[index(n)]; }

    /// Past the nodes that only give their operand a name.
    constexpr std::int16_t resolve(std::int16_t n) const {
        while (at(n).kind == node_kind::let || at(n).kind == node_kind::let_value) n = at(n).same_as;
        return n;
    }

    constexpr bool is_inside(std::int16_t loop, std::int16_t outer) const {
        for (; loop != -1; loop = plan.loops[index(loop)].parent)
            if (loop == outer) return true;
        return outer == -1;
    }

    /// Rows that a stage handles in a tile; 0 if it has no tile of this kind.
    constexpr std::size_t rows_of(const stage& s, std::size_t tile) const {
        const bool full = tile == full_tile;
        if (s.row_axis == no_axis) return full ? 1 : 0;
        const std::int16_t loop = s.bindings[s.row_axis];
        if (loop == whole_axis) return full ? at(s.space).extents[s.row_axis] : 0;
        const plan_loop& l = plan.loops[index(loop)];
        if (!l.rows) return full ? 1 : 0;
        return full ? l.tile : l.extent % l.tile;
    }

    /// Columns that it handles.
    constexpr std::size_t columns_of(const stage& s) const {
        if (s.column_axis == no_axis) return 1;
        const std::int16_t loop = s.bindings[s.column_axis];
        return loop != whole_axis && plan.loops[index(loop)].columns ? plan.loops[index(loop)].tile
                                                                     : at(s.space).extents[s.column_axis];
    }
};

}  // namespace ashlar::detail
