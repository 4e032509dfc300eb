// SPDX-License-Identifier: BSL-1.0
// Rows known at run time: which entries of each value's axes the first rows of the result need, and which loops end
// there.
#pragma once

#include <cstddef>

#include <ashlar/plan/build/program.hpp>
#include <ashlar/plan/graph/graph.hpp>

namespace ashlar::inline v0_1::detail {

/// What is needed of a node: of each axis, and the axis of the result that has the same index.
struct node_needs {
    entry_limits of[max_rank]{};
    std::size_t root_axis[max_rank]{};
    bool known = false;

    /// Adds a use.
    constexpr void add(const node_needs& use) {
        for (std::size_t a = 0; a < max_rank; ++a) {
            of[a].add(use.of[a]);
            if (!known || root_axis[a] != use.root_axis[a]) root_axis[a] = known ? no_axis : use.root_axis[a];
        }
        known = true;
    }
};

/// The number of a masked node among them.
constexpr std::size_t number_of_mask(const graph_node* nodes, node_index masked) {
    std::size_t number = 0;
    for (node_index n{}; n < masked; ++n) number += nodes[n].kind == node_kind::masked;
    return number;
}

/// The masked node whose kept keys end the rows of its right operand that a product reads; no_node if there is none.
template <class Program>
constexpr node_index mask_of_depth(const Program& plan, const graph_node* nodes, node_index product) {
    node_index found = no_node;
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        const plan_stage& stage = plan.stages[s];
        if (stage.kind != stage_kind::product || stage.core != product) continue;
        if (stage.left_factor == no_node || stage.support == no_node || !nodes[stage.support].spans) return no_node;
        if (found != no_node && found != stage.support) return no_node;
        found = stage.support;
    }
    return found;
}

/// Finds what is needed of each node if the result's rows, its second to last axis, are limited. From the root down,
/// because users follow their operands in the array.
template <class Program>
constexpr void find_needs(const Program& plan, const graph_node* nodes, std::size_t count, node_needs* needs) {
    const graph_node& root = nodes[count - 1];
    node_needs& whole = needs[count - 1];
    whole.known = true;
    for (std::size_t a = 0; a < max_rank; ++a) {
        whole.of[a] = root.rank >= 2 && a + 2u == root.rank ? entry_limits::rows() : entry_limits::all();
        whole.root_axis[a] = a;
    }
    for (std::size_t n = count; n-- > 0;) {
        const auto id = index_at<node_index>(n);
        const graph_node& g = nodes[n];
        node_needs& own = needs[n];
        if (!own.known) continue;
        if (g.kind == node_kind::let || g.kind == node_kind::let_value) {
            needs[g.same_as].add(own);
            continue;
        }
        // A stored value ends with the rows of the result, but not at keys: nothing else proves that no stage reads it.
        if (g.kind == node_kind::store)
            for (entry_limits& of : own.of)
                if (of.have_keys()) of = entry_limits::all();
        const node_index kept = g.kind == node_kind::matmul ? mask_of_depth(plan, nodes, id) : no_node;
        for (std::size_t i = 0; i < g.operand_count; ++i) {
            const graph_node& o = nodes[g.operands[i]];
            const axis_map from = carried_axes(g, o, i);
            node_needs use;
            for (std::size_t a = 0; a < max_rank; ++a) {
                const bool carried = a < o.rank && from[a] != no_axis;
                use.of[a] = carried ? own.of[from[a]] : entry_limits::all();
                use.root_axis[a] = carried ? own.root_axis[from[a]] : no_axis;
            }
            if (g.kind == node_kind::masked && i == 0 && g.spans && use.of[o.rank - 1u].are_all())
                use.of[o.rank - 1u] = entry_limits::keys(number_of_mask(nodes, id));
            if (kept != no_node && i == 1) use.of[o.rank - 2u] = entry_limits::keys(number_of_mask(nodes, kept));
            needs[g.operands[i]].add(use);
        }
    }
}

/// Tells every loop where it ends: at what is needed of everything computed inside it.
constexpr void limit_loops(program& plan, const graph_node* nodes, node_needs* needs) {
    find_needs(plan, nodes, plan.node_count, needs);
    for (loop_index l{}; l < plan.loop_count; ++l) {
        plan_loop& loop = plan.loops[l];
        entry_limits limits{};
        std::size_t root_axis = no_axis;
        bool seen = false;
        for (std::size_t s = 0; s < plan.stage_count; ++s) {
            const plan_stage& stage = plan.stages[s];
            if (!is_loop_inside(plan, stage.loop, l)) continue;
            std::size_t axis = no_axis;
            for (std::size_t t = 0; t < nodes[stage.top].rank; ++t)
                if (stage.top_axes[t] != no_axis && stage.bindings[stage.top_axes[t]] == l) axis = t;
            const node_needs& needed = needs[stage.top];
            const bool known = axis != no_axis && needed.known;
            limits.add(known ? needed.of[axis] : entry_limits::all());
            const std::size_t carried = known ? needed.root_axis[axis] : no_axis;
            root_axis = !seen || root_axis == carried ? carried : no_axis;
            seen = true;
        }
        loop.root_axis = root_axis;
        if (!loop.columns && limits.stop()) loop.limits = limits;
    }
}

}  // namespace ashlar::detail
