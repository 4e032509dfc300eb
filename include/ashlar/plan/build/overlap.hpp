// SPDX-License-Identifier: BSL-1.0
// Destinations that are operands: the effect of a store on elements that are still to be read.
#pragma once

#include <ashlar/plan/build/planned.hpp>

namespace ashlar::inline v0_1::detail {

/// The possible effects of stores to the destination on elements that are still to be read.
enum class overlap : std::uint8_t {
    none,  // nothing
    rows,  // a row of the result overwrites what only that row needs
    any,   // anything
};

/// The loop over tiles whose finished rows can be staged; no_loop if there is none.
template <class Plan>
consteval loop_index staged_loop() {
    for (loop_index l{}; l < Plan::code.loop_count; ++l)
        if (Plan::code.loops[l].staged != no_stage) return l;
    return no_loop;
}

/// Elements of a tile of staged rows; 0 if there is none.
template <class Plan>
consteval std::size_t staged_elements() {
    constexpr loop_index loop = staged_loop<Plan>();
    if constexpr (loop == no_loop) {
        return 0;
    } else {
        const graph_node& root = Plan::nodes[Plan::root];
        return Plan::code.loops[loop].tile * root.extents[root.rank - 1u];
    }
}

/// Whether the plan is one elementwise stage that writes the destination and reads leaf `id` element by element.
template <class Plan>
consteval bool reads_in_place(node_index id) {
    if (Plan::code.stage_count != 1 || Plan::code.stages[0].kind != stage_kind::map) return false;
    const auto visit = [&](auto self, node_index n, bool same) -> bool {
        const graph_node& g = Plan::nodes[n];
        if (n == id) return same;
        bool good = true;
        for (std::size_t i = 0; i < g.operand_count; ++i) {
            const auto o = g.operands[i];
            const bool aligned = g.kind == node_kind::map || g.kind == node_kind::masked || g.kind == node_kind::let;
            good = good && self(self, o, same && aligned && Plan::nodes[o].size() == Plan::nodes[Plan::root].size());
        }
        if (g.same_as != no_node && g.kind == node_kind::let_value) good = good && self(self, g.same_as, same);
        return good;
    };
    return visit(visit, Plan::root, true);
}

/// Whether every row of the result needs only the row with the same number of leaf `id`. A single row that all of them
/// read does not count.
template <class Plan>
consteval bool reads_own_rows(node_index id) {
    const graph_node& root = Plan::nodes[Plan::root];
    const auto visit = [&](auto self, node_index n, const axis_map& from) -> bool {
        const graph_node& g = Plan::nodes[n];
        if (n == id) {
            if (g.rank != root.rank) return false;
            for (std::size_t a = 0; a + 1u < g.rank; ++a)
                if (root.extents[a] != 1 && from[a] != a) return false;
            return true;
        }
        if (g.kind == node_kind::let || g.kind == node_kind::let_value) return self(self, g.same_as, from);
        for (std::size_t i = 0; i < g.operand_count; ++i) {
            const auto o = g.operands[i];
            if (!self(self, o, operand_bindings(g, Plan::nodes[o], i, from))) return false;
        }
        return true;
    };
    return visit(visit, Plan::root, same_axes);
}

/// The effect of a destination that is leaf `id`, with the same first element and strides.
template <class Plan>
consteval overlap overlap_with(node_index id) {
    if (reads_in_place<Plan>(id)) return overlap::none;
    return staged_loop<Plan>() != no_loop && reads_own_rows<Plan>(id) ? overlap::rows : overlap::any;
}

}  // namespace ashlar::detail
