// SPDX-License-Identifier: BSL-1.0
// The cost of an expression in constants: arithmetic operations and scratch.
#pragma once

#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/plan/build/planned.hpp>
#include <ashlar/plan/graph/matrix_cost.hpp>
#include <ashlar/plan/sharing/shared_plan.hpp>

namespace ashlar::inline v0_1 {
namespace detail {

/// Operations of one node. A multiply-add counts 2, any other operation on an element 1. After a mask, only the pairs
/// that its type keeps count.
constexpr std::size_t node_flops(const graph_node& n, const graph_node& first, std::size_t kept, std::size_t all) {
    const auto share = [&](std::size_t operations) {
        return all == 0 ? operations : operations / all * kept + operations % all * kept / all;
    };
    switch (n.kind) {
    case node_kind::map: return share(n.size() * n.flops);
    case node_kind::matmul: return share(2 * n.size() * first.extents[first.rank - 1u]);
    // maximum, subtraction, exponential, sum, multiplication, that by a scale
    case node_kind::softmax: return share((n.is_weighted ? 6 : 5) * n.size());
    // two sums, two subtractions, a square, a multiplication
    case node_kind::standardize: return n.variant == 0 ? 6 * n.size() : 3 * n.size();
    case node_kind::reduce:
        return (n.variant == static_cast<std::uint8_t>(reduction_kind::variance)    ? 4
                : n.variant == static_cast<std::uint8_t>(reduction_kind::logsumexp) ? 4
                                                                                    : 1) *
               first.size();
    case node_kind::matrix: return matrix_flops(n, first);
    default: return 0;
    }
}

/// The masked node that limits which elements of a node are computed, searched upwards (scores) or downwards (weights);
/// no_node if there is none.
template <std::size_t Count>
struct flop_counter {
    const graph_node* nodes;
    std::array<std::size_t, Count> of_node{};

    constexpr node_index resolve(node_index n) const {
        while (nodes[n].kind == node_kind::let || nodes[n].kind == node_kind::let_value) n = nodes[n].same_as;
        return n;
    }
    /// The mask below weights: through names, stores, index maps, the softmax and functions of it.
    constexpr node_index mask_below(node_index n) const {
        for (;;) {
            n = resolve(n);
            const graph_node& g = nodes[n];
            if (g.kind == node_kind::masked) return n;
            if (g.excluded == exclusion::none || g.operand_count == 0) return no_node;
            node_index next = no_node;
            for (std::size_t i = 0; i < g.operand_count; ++i)
                if (nodes[resolve(g.operands[i])].excluded != exclusion::none) next = g.operands[i];
            if (next == no_node) return no_node;
            n = next;
        }
    }
    constexpr std::size_t count(node_index id, node_index mask) {
        const graph_node& g = nodes[id];
        if (g.kind == node_kind::let) return count(g.operands[0], no_node) + count(g.operands[1], mask);
        if (g.kind == node_kind::let_value) return 0;
        node_index here = mask;
        if (g.kind == node_kind::masked) here = id;
        node_index limit = here;
        if (g.kind == node_kind::softmax) limit = mask_below(g.operands[0]);
        if (g.kind == node_kind::matmul) {
            const node_index weights = mask_below(g.operands[0]);
            if (weights != no_node) limit = weights;
        }
        std::size_t kept = 0, all = 0;
        if (limit != no_node) {
            kept = nodes[limit].kept;
            all = nodes[limit].size();
        }
        const bool same_elements = limit == no_node || g.kind == node_kind::matmul || g.size() == all;
        std::size_t total = 0;
        if (g.operand_count != 0)
            total = node_flops(g, nodes[g.operands[0]], same_elements ? kept : 0, same_elements ? all : 0);
        of_node[id] = total;
        const bool passes =
            g.kind == node_kind::masked || (g.kind == node_kind::map && here != no_node) || is_pass(g.kind);
        for (std::size_t i = 0; i < g.operand_count; ++i) {
            const bool same = nodes[g.operands[i]].size() == g.size();
            total += count(g.operands[i], passes && same ? here : no_node);
        }
        return total;
    }
    static constexpr bool is_pass(node_kind kind) {
        return kind == node_kind::reshape || kind == node_kind::permute || kind == node_kind::store;
    }
};

/// The operations of every node of Expression.
template <class Expression>
inline constexpr auto flops_of_nodes = [] {
    flop_counter<graph<Expression>::count> counter{graph<Expression>::nodes.data()};
    counter.count(graph<Expression>::root, no_node);
    return counter.of_node;
}();

template <class Expression>
inline constexpr std::size_t expression_flops = [] {
    std::size_t total = 0;
    if constexpr (node_expression<Expression>)
        if constexpr (check_names<Expression>())
            for (const std::size_t n : flops_of_nodes<Expression>) total += n;
    return total;
}();

template <class Expression, class Config>
inline constexpr std::size_t expression_scratch = [] {
    if constexpr (!node_expression<Expression>)
        return std::size_t{0};
    else if constexpr (!check_names<Expression>())
        return std::size_t{0};
    else
        return planned<Expression, Config>::code.scratch_bytes;
}();

/// The same for this many workers.
template <class Expression, std::size_t Workers, class Config>
inline constexpr std::size_t shared_scratch = [] {
    std::size_t bytes = expression_scratch<Expression, Config>;
    if constexpr (Workers > 1 && node_expression<Expression>)
        if constexpr (check_names<Expression>()) {
            using plans = shared_plans<Expression, Config, row_major<Expression>()>;
            constexpr std::size_t of_all = plans::bytes_of(Workers);
            if (of_all > bytes) bytes = of_all;
        }
    return bytes;
}();

}  // namespace detail

/// Arithmetic operations of one evaluation of Expression: a multiply-add counts 2, any other operation 1, over the
/// pairs that the masks' types keep (run-time masks at capacity). The same on every architecture.
///
///     static_assert(flops<decltype(matmul(a, b))> == 2 * 64 * 64 * 64);
template <class Expression>
inline constexpr std::size_t flops = detail::expression_flops<detail::planned_by<Expression>>;

/// Bytes of scratch that an evaluation of Expression needs for a dense destination, even one that overlaps operands
/// (which also takes alias_workspace_bytes<Expression> of stack). Other destinations have their own number,
/// workspace_bytes_into<Destination, Expression>. With Workers it suffices for that many workers of an executor.
///
///     workspace<workspace_bytes<decltype(e)>> scratch;
///     evaluate(result, e, scratch);
template <class Expression, std::size_t Workers = 1, class Config = current_config>
    requires(Workers >= 1)
inline constexpr std::size_t workspace_bytes = detail::shared_scratch<detail::planned_by<Expression>, Workers, Config>;

}  // namespace ashlar
