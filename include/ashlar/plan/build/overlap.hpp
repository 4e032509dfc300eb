// SPDX-License-Identifier: BSL-1.0
// Destinations that are what an expression reads: what writing them does to what has yet to be read.
#pragma once

#include <ashlar/plan/build/planned.hpp>

namespace ashlar::detail {

/// What writing the destination could do to what the expression has yet to read.
enum class overlap : std::uint8_t {
    none,  // nothing
    rows,  // a row of the result overwrites what only that row needs
    any,   // anything
};

/// The loop over tiles whose finished rows can be staged; no_axis if the plan has none.
template <class Plan>
consteval std::size_t staged_loop() {
    for (std::size_t l = 0; l < Plan::code.loop_count; ++l)
        if (Plan::code.loops[l].staged != -1) return l;
    return no_axis;
}

/// Elements of a tile of staged rows; 0 if the plan has none.
template <class Plan>
consteval std::size_t staged_elements() {
    constexpr std::size_t loop = staged_loop<Plan>();
    if constexpr (loop == no_axis) {
        return 0;
    } else {
        const graph_node& root = Plan::nodes[Plan::count - 1];
        return Plan::code.loops[loop].tile * root.extents[root.rank - 1u];
    }
}

/// Whether the plan is one elementwise stage that writes the destination and reads leaf `id` element by element.
template <class Plan>
consteval bool reads_in_place(std::size_t id) {
    if (Plan::code.stage_count != 1 || Plan::code.stages[0].kind != stage_kind::map) return false;
    const auto visit = [&](auto self, std::size_t n, bool same) -> bool {
        const graph_node& g = Plan::nodes[n];
        if (n == id) return same;
        bool good = true;
        for (std::size_t i = 0; i < g.operand_count; ++i) {
            const auto o = static_cast<std::size_t>(g.operands[i]);
            const bool aligned = g.kind == node_kind::map || g.kind == node_kind::masked || g.kind == node_kind::let;
            good =
                good && self(self, o, same && aligned && Plan::nodes[o].size() == Plan::nodes[Plan::count - 1].size());
        }
        if (g.same_as != -1 && g.kind == node_kind::let_value)
            good = good && self(self, static_cast<std::size_t>(g.same_as), same);
        return good;
    };
    return visit(visit, Plan::count - 1, true);
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
    return visit(visit, Plan::count - 1, identity);
}

/// What a destination that is leaf `id`, with the same first element and strides, does to it.
template <class Plan>
consteval overlap overlap_with(std::size_t id) {
    if (reads_in_place<Plan>(id)) return overlap::none;
    return staged_loop<Plan>() != no_axis && reads_own_rows<Plan>(id) ? overlap::rows : overlap::any;
}

}  // namespace ashlar::detail
