// SPDX-License-Identifier: BSL-1.0
// What a stage may compute: the product inside an expression, and the loops that a value depends on.
#pragma once

#include <ashlar/plan/build/planner.hpp>

namespace ashlar::inline v0_1::detail {

constexpr void planner::search_core(node_index n, const graph_node& top, const axis_map& from_top,
                                    const binding_list& bindings, const loop_stack& stack, core_choice& best) const {
    const graph_node& g = at(n);
    if (g.kind == node_kind::let) return search_core(g.same_as, top, from_top, bindings, stack, best);
    if (g.kind == node_kind::let_value) {
        if (at(resolve(n)).uses > 1) return;
        return search_core(g.same_as, top, from_top, bindings, stack, best);
    }
    if (g.kind == node_kind::matmul) return consider_core(n, top, from_top, bindings, stack, best);
    if (g.kind != node_kind::map && g.kind != node_kind::masked && g.kind != node_kind::permute &&
        g.kind != node_kind::reshape && g.kind != node_kind::broadcast)
        return;
    for (std::size_t i = 0; i < g.operand_count; ++i) {
        const graph_node& o = at(g.operands[i]);
        search_core(g.operands[i], top, operand_bindings(g, o, i, from_top), bindings, stack, best);
    }
}

constexpr void planner::consider_core(node_index n, const graph_node& top, const axis_map& from_top,
                                      const binding_list& bindings, const loop_stack& stack, core_choice& best) const {
    const graph_node& g = at(n);
    axis_map to_core = no_axes;
    binding_list own = all_whole;
    std::size_t covered = 1;
    for (std::size_t a = 0; a < g.rank; ++a) {
        if (g.extents[a] == 1) continue;
        if (from_top[a] == no_axis) return;
        to_core[from_top[a]] = a;
        own[a] = bindings[from_top[a]];
        covered *= g.extents[a];
    }
    if (covered != top.size()) return;
    const std::size_t rows = g.rank - 2u, columns = g.rank - 1u;
    if (own[columns] != whole_axis) return;
    for (std::size_t a = 0; a < rows; ++a)
        if (is_rows_loop(own[a])) return;
    if (find_buffer(n, buffer_role::values, own, stack) != no_buffer) return;
    const std::size_t work = g.size() * at(g.operands[0]).extents[at(g.operands[0]).rank - 1u];
    if (work > best.work) best = {n, to_core, work};
}

constexpr std::size_t planner::widest(node_index n, node_index core) const {
    n = resolve(n);
    const graph_node& g = at(n);
    std::size_t bytes = g.scalar == scalar_kind::floating && g.rank > 0 ? g.element_bytes : 1;
    if (n == core) return bytes;
    for (std::size_t i = 0; i < g.operand_count; ++i)
        if (const std::size_t below = widest(g.operands[i], core); below > bytes) bytes = below;
    return bytes;
}

constexpr bool planner::is_uniform_product(node_index n) const {
    const graph_node& g = at(resolve(n));
    if (g.kind != node_kind::map) return g.kind == node_kind::matmul;
    bool products = false;
    for (std::size_t i = 0; i < g.operand_count; ++i) {
        const bool product = is_uniform_product(g.operands[i]);
        if (!product && at(resolve(g.operands[i])).kind != node_kind::scalar) return false;
        products = products || product;
    }
    return products;
}

constexpr binding_list planner::demote(node_index n, binding_list b) const {
    const graph_node& g = at(n);
    if (g.kind == node_kind::matmul) {
        b[g.rank - 1u] = whole_axis;
        for (std::size_t a = 0; a + 2 < g.rank; ++a)
            if (is_rows_loop(b[a])) b[a] = whole_axis;
    }
    if (g.kind == node_kind::matrix) b = bindings_of_matrices(n, b);
    if (g.kind == node_kind::concat || is_row_statistic(g.kind)) {
        if (g.kind != node_kind::reduce) b[g.axis] = whole_axis;
    }
    for (std::size_t a = 0; a < g.rank; ++a)
        if (shared[n] == sharing::everything || (shared[n] == sharing::rows && is_rows_loop(b[a]))) b[a] = whole_axis;
    return b;
}

constexpr bool planner::is_read(const stage& s, node_index n, const binding_list& b) {
    for (const buffer_index buffer : {read_of(s, n).values, read_of(s, n).factors}) {
        if (buffer == no_buffer || shared[n] == sharing::everything) continue;
        if (holds(plan.buffers[buffer], b, at(n).rank)) continue;
        share(n);
        reads_less = true;
    }
    if (read_of(s, n).values != no_buffer) return true;
    if (!is_index_map(at(n).kind) || !is_part_of_operand(s, n)) return false;
    const node_index moved = at(n).operands[0], value = resolve(moved);
    return at(value).kind == node_kind::array || is_read(s, value, operand_bindings(at(n), at(moved), 0, b));
}

constexpr bool planner::is_part_of_operand(const stage& s, node_index n) const {
    if (s.kind != stage_kind::product) return false;
    const node_memory memory{nodes, plan.reads + s.first_read, plan.buffers};
    for (const node_index operand : {at(s.core).operands[0], at(s.core).operands[1]})
        for (node_index m = operand; m != no_node && memory.buffer_of(m) == no_buffer; m = memory.behind(m))
            if (m == n) return true;
    return false;
}

constexpr bool planner::share_more() {
    bool again = reads_less;
    reads_less = false;
    for (node_index n{}; n < plan.node_count; ++n) {
        if (nodes[n].uses < 2 || shared[n] == sharing::everything || !contains_product(n)) continue;
        std::size_t makers = 0;
        for (std::size_t s = 0; s < plan.stage_count; ++s) {
            const stage& made = plan.stages[s];
            const bool folds = made.kind != stage_kind::map && made.kind != stage_kind::product;
            if (folds ? made.core == n : resolve(made.top) == n && read_of(made, n).values == no_buffer) ++makers;
        }
        if (makers < 2) continue;
        share(n);
        again = true;
    }
    return again;
}

constexpr auto planner::dependent_prefix(const loop_stack& stack, std::size_t rank, binding_list& b) const
    -> loop_stack {
    loop_stack prefix;
    for (std::size_t i = 0; i < stack.depth; ++i) {
        bool depends = false;
        for (std::size_t a = 0; a < rank; ++a)
            if (b[a] == stack.loop[i]) depends = true;
        if (!depends) break;
        prefix.push(stack.loop[i]);
    }
    for (std::size_t a = 0; a < rank; ++a)
        if (b[a] != whole_axis && !prefix.contains(b[a])) b[a] = whole_axis;
    return prefix;
}

}  // namespace ashlar::detail
