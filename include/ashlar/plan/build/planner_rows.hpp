// SPDX-License-Identifier: BSL-1.0
// Row statistics: softmax, norms and reductions as stages of their own.
#pragma once

#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/plan/build/planner.hpp>

namespace ashlar::inline v0_1::detail {

constexpr void planner::mark_filled(buffer_index numerators) {
    for (std::size_t i = 0; i < plan.stage_count; ++i)
        if (plan.stages[i].kind == stage_kind::softmax && plan.stages[i].buffer == numerators)
            plan.stages[i].fill_outside = true;
}

constexpr void planner::prepare_statistics(node_index n, const binding_list& b, stage& s, const loop_stack& stack) {
    const graph_node& g = at(n);
    const statistics made = make_statistics(n, b, stack);
    read_of(s, n).values = made.values;
    read_of(s, n).factors = made.factors;
    if (g.kind == node_kind::softmax && g.variant == 0) mark_filled(made.values);
    if (g.kind == node_kind::standardize || (g.kind == node_kind::softmax && g.variant != 0))
        prepare(g.operands[0], b, s, stack);
}

/// Parts of a tensor with fewer bytes are reduced in rows, several in the lanes of a register.
inline constexpr std::size_t least_folded_bytes = 1024;

constexpr auto planner::folded_by(node_index n, binding_list& kept) const -> folded_axes {
    const graph_node& g = at(n);
    const node_index merged = g.operands[0];
    if (g.kind != node_kind::reduce || g.variant == static_cast<std::uint8_t>(reduction_kind::logsumexp) ||
        at(merged).kind != node_kind::reshape)
        return {};
    const graph_node& m = at(merged);
    const node_index space = m.operands[0], value = base_of(space);
    const graph_node& x = at(space);
    if (at(value).kind == node_kind::array && arrays().strides(merged, {}).affine) return {};
    if (at(value).uses > 1 && is_costly(value)) return {};

    folded_axes out;
    const axis_map from = carried_axes(m, x, 0);
    for (const index_piece& piece : map_of(m, x)) {
        if (g.axis >= piece.first && g.axis < piece.last) {
            for (std::size_t a = piece.first; a < piece.last; ++a)
                if (a != g.axis && m.extents[a] != 1) return {};
            std::size_t several = 0;
            for (std::size_t a = piece.operand_first; a < piece.operand_last; ++a) several += x.extents[a] != 1;
            if (several > 1) out = {space, piece.operand_first, piece.operand_last};
        } else {
            for (std::size_t a = piece.operand_first; a < piece.operand_last; ++a)
                if (x.extents[a] != 1 && from[a] == no_axis) return {};
        }
    }
    if (out.space == no_node || g.size() == 1) return out;
    if (m.extents[g.axis] * m.element_bytes < least_folded_bytes) return {};
    for (std::size_t a = 0; a < g.rank; ++a) {
        if (!is_rows_loop(kept[a])) continue;
        if (contains_product(space)) return {};
        kept[a] = whole_axis;
    }
    return out;
}

constexpr void planner::open_folded(stage& s, const graph_node& space, loop_stack& stack, node_index n) {
    constexpr std::size_t short_rows = 16;
    for (std::size_t a = s.fold_last; a-- > s.fold_first;) {
        if (space.extents[a] == 1) continue;
        if (s.column_axis == no_axis)
            s.column_axis = a;
        else if (s.row_axis == no_axis ||
                 (space.extents[s.row_axis] < short_rows && space.extents[s.row_axis] < space.extents[a]))
            s.row_axis = a;
    }
    const auto open = [&](std::size_t a) {
        if (a != s.row_axis && a != s.column_axis && s.bindings[a] == whole_axis && space.extents[a] > 1)
            s.bindings[a] = open_loop(stack, space.extents[a], false, n);
    };
    for (std::size_t a = 0; a < space.rank; ++a)
        if (a < s.fold_first || a >= s.fold_last) open(a);
    s.second_buffer = add_buffer(n, buffer_role::state, all_whole, stack.innermost());
    plan.buffers[s.second_buffer].bytes = fold_state_bytes;
    for (std::size_t a = s.fold_first; a < s.fold_last; ++a) open(a);
    s.bindings[s.row_axis] = open_loop(stack, space.extents[s.row_axis], true, n);
    s.loop = stack.innermost();
}

constexpr auto planner::make_statistics(node_index n, const binding_list& bindings, const loop_stack& outer)
    -> statistics {
    const graph_node& g = at(n);
    const bool logarithm = g.kind == node_kind::softmax && g.variant != 0;
    const buffer_role first = logarithm                          ? buffer_role::maxima
                              : g.kind == node_kind::softmax     ? buffer_role::numerators
                              : g.kind == node_kind::standardize ? buffer_role::means
                                                                 : buffer_role::values;
    const buffer_role second = g.kind == node_kind::standardize ? buffer_role::deviations : buffer_role::scales;
    binding_list kept = demote(n, bindings);
    const folded_axes folded = folded_by(n, kept);
    const bool folds = folded.space != no_node;
    const node_index x = folds ? folded.space : g.operands[0];
    const graph_node& operand = at(x);
    const loop_stack prefix = dependent_prefix(outer, g.rank, kept);
    {
        statistics found;
        found.values = find_buffer(n, first, kept, prefix);
        if (g.kind != node_kind::reduce) found.factors = find_buffer(n, second, kept, prefix);
        if (found.values != no_buffer || found.factors != no_buffer) return found;
    }
    stage s = new_stage(g.kind == node_kind::softmax       ? stage_kind::softmax
                        : g.kind == node_kind::standardize ? stage_kind::standardize
                                                           : stage_kind::reduce);
    s.top = s.space = x;
    s.core = n;
    s.top_axes = same_axes;
    loop_stack stack = prefix;
    if (folds) {
        const graph_node& merged = at(g.operands[0]);
        s.bindings = operand_bindings(merged, operand, 0, operand_bindings(g, merged, 0, kept));
        s.fold_first = folded.first;
        s.fold_last = folded.last;
        open_folded(s, operand, stack, n);
    } else {
        s.column_axis = g.axis;
        s.bindings = operand_bindings(g, operand, 0, kept);
        for (std::size_t a = 0; a < operand.rank; ++a)
            if (a != g.axis && is_rows_loop(s.bindings[a])) s.row_axis = a;
        for (std::size_t a = operand.rank; a-- > 0;)
            if (s.row_axis == no_axis && a != g.axis && s.bindings[a] == whole_axis && operand.extents[a] > 1)
                s.row_axis = a;
        open_loops(s, operand, stack, n);
    }

    // The operand is read more than once, so a product or an expensive function in it is computed first.
    s.support = support_of(n);
    const node_index value = resolve(x);
    const bool reread = g.kind != node_kind::reduce;
    const bool twice = folds && g.variant == static_cast<std::uint8_t>(reduction_kind::variance);
    if (contains_product(x) || (reread && is_costly(x) && at(value).kind != node_kind::store) ||
        (twice && has_costly_function(x)))
        make_input(x, s, stack, g);
    prepare(x, s.bindings, s, stack);
    if (g.is_weighted) prepare(g.operands[1], operand_bindings(g, at(g.operands[1]), 1, s.bindings), s, stack);
    s.lanes = vote(s, x);

    statistics made;
    if (g.kind == node_kind::softmax && !logarithm) {
        const buffer_index input = read_of(s, value).values;
        const bool in_place = input != no_buffer && at(value).uses == 1 &&
                              plan.buffers[input].scope == stack.innermost() &&
                              plan.buffers[input].role == buffer_role::values && stack.depth == prefix.depth;
        made.values = add_buffer(n, first, kept, prefix.innermost());
        plan_buffer& b = plan.buffers[made.values];
        if (in_place) {
            b.strides = plan.buffers[input].strides;
            b.bytes = plan.buffers[input].bytes;
            b.padded = plan.buffers[input].padded;
            b.storage = plan.buffers[input].storage;
            const stage_index producer = product_of_rows(input);
            if (producer != no_stage && s.lanes == lane_axis::rows) {
                s.maxima = add_row_buffer(n, buffer_role::maxima, kept, prefix, g, s);
                plan.stages[producer].maxima = s.maxima;
            }
        } else if (s.lanes == lane_axis::rows) {
            lay_out(b, s.row_axis, s.column_axis, true);
        } else {
            lay_out(b, s.column_axis, s.row_axis, true);
        }
        s.strides = b.strides;
    }
    if (g.kind == node_kind::reduce) {
        made.values = add_row_buffer(n, first, kept, prefix, g, s);
        s.strides = plan.buffers[made.values].strides;
    } else {
        if (logarithm || (g.kind == node_kind::standardize && g.variant == 0))
            made.values = add_row_buffer(n, first, kept, prefix, g, s);
        made.factors = add_row_buffer(n, second, kept, prefix, g, s);
    }
    s.buffer = made.values;
    if (!folds) s.second_buffer = made.factors;
    add_stage(s);
    close_loops(stack, prefix.depth);
    return made;
}

constexpr auto planner::product_of_rows(buffer_index buffer) const -> stage_index {
    stage_index found = no_stage;
    for (std::size_t i = 0; i < plan.stage_count; ++i) {
        const stage& s = plan.stages[i];
        if (s.buffer != buffer) continue;
        if (found != no_stage || s.kind != stage_kind::product || s.lanes != lane_axis::rows ||
            s.top != plan.buffers[buffer].node)
            return no_stage;
        found = index_at<stage_index>(i);
    }
    return found;
}

constexpr auto planner::add_row_buffer(node_index n, buffer_role role, const binding_list& b, const loop_stack& prefix,
                                       const graph_node& g, const stage& s) -> buffer_index {
    const buffer_index index = add_buffer(n, role, b, prefix.innermost());
    plan_buffer& buffer = plan.buffers[index];
    std::size_t row = s.fold_first == no_axis ? s.row_axis : no_axis;
    if (g.kind == node_kind::reduce && row != no_axis && g.rank < at(s.space).rank && row > g.axis) --row;
    graph_node rows = g;
    if (g.kind != node_kind::reduce) rows.extents[g.axis] = 1;
    lay_out_rows(buffer, rows, row);
    return index;
}

constexpr void planner::lay_out_rows(plan_buffer& b, const graph_node& rows, std::size_t row) const {
    std::ptrdiff_t step = 1;
    const std::size_t w = target.lanes(rows.element_bytes);
    const auto place = [&](std::size_t a) {
        std::size_t extent = rows.extents[a];
        if (b.bindings[a] != whole_axis)
            extent = bound_extent(b.bindings[a]) < extent ? bound_extent(b.bindings[a]) : extent;
        b.strides[a] = extent == 1 && !is_rows_loop(b.bindings[a]) ? 0 : step;
        if (rows.extents[a] == 1) b.strides[a] = 0;
        if (a == row) extent = (extent + w - 1) / w * w;
        step *= static_cast<std::ptrdiff_t>(extent);
    };
    if (row < rows.rank) place(row);
    for (std::size_t a = rows.rank; a-- > 0;)
        if (a != row) place(a);
    if (step < static_cast<std::ptrdiff_t>(w)) step = static_cast<std::ptrdiff_t>(w);
    b.bytes = static_cast<std::size_t>(step) * rows.element_bytes;
}

constexpr void planner::make_input(node_index x, stage& s, const loop_stack& stack, const graph_node& g) {
    const node_index value = resolve(x);
    if (at(value).kind == node_kind::store) return;
    binding_list b = demote(value, s.bindings);
    const loop_stack prefix = dependent_prefix(stack, at(value).rank, b);
    if (find_buffer(value, buffer_role::values, b, prefix) != no_buffer) return;
    if (is_row_statistic(at(value).kind)) return;
    if (at(base_of(value)).kind == node_kind::array) return;
    const bool only_support =
        g.kind == node_kind::softmax && g.variant == 0 && s.support == value && at(value).uses == 1;
    emit(value, destination{.free = true, .only_support = only_support}, b, prefix);
}

constexpr lane_axis planner::vote(const stage& s, node_index x) const {
    std::ptrdiff_t balance = 0;
    const graph_node& g = at(x);
    count_votes(s, x, same_axes, balance);
    if (s.row_axis == no_axis) return lane_axis::columns;
    if (balance == 0) return g.extents[s.column_axis] == 1 ? lane_axis::rows : lane_axis::columns;
    return balance > 0 ? lane_axis::rows : lane_axis::columns;
}

constexpr void planner::count_votes(const stage& s, node_index n, const axis_map& from, std::ptrdiff_t& balance) const {
    n = resolve(n);
    const graph_node& g = at(n);
    axis_list strides = g.strides;
    const bool buffered = read_of(s, n).values != no_buffer;
    if (buffered) strides = plan.buffers[read_of(s, n).values].strides;
    if (g.kind == node_kind::array || buffered) {
        for (std::size_t a = 0; a < g.rank; ++a) {
            if (strides[a] != 1 || from[a] == no_axis || g.extents[a] == 1) continue;
            const auto weight = static_cast<std::ptrdiff_t>(g.size());
            if (from[a] == s.row_axis) balance += weight;
            if (from[a] == s.column_axis) balance -= weight;
        }
        return;
    }
    for (std::size_t i = 0; i < g.operand_count; ++i)
        count_votes(s, g.operands[i], operand_bindings(g, at(g.operands[i]), i, from), balance);
}

}  // namespace ashlar::detail
