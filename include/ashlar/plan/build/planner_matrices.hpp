// SPDX-License-Identifier: BSL-1.0
// Stages of functions of square matrices.
#pragma once

#include <ashlar/plan/build/planner.hpp>
#include <ashlar/plan/graph/matrix_cost.hpp>

namespace ashlar::inline v0_1::detail {

/// Bytes of a batch of results that are computed at once although a loop over the batch reads them one by one.
inline constexpr std::size_t most_matrices_bytes = 32 * 1024;

constexpr std::size_t planner::axis_of_matrices(const graph_node& g, const binding_list& b) const {
    std::size_t axis = no_axis;
    for (std::size_t a = 0; a < batch_rank(g); ++a)
        if (b[a] == whole_axis && (axis == no_axis || g.extents[a] >= g.extents[axis])) axis = a;
    return axis;
}

constexpr bool planner::fill_lanes(const graph_node& g, std::size_t axis) const {
    const std::size_t width = target.lanes(g.element_bytes);
    return axis != no_axis && width > 1 && 2 * g.extents[axis] >= width;
}

constexpr binding_list planner::bindings_of_matrices(node_index n, binding_list b) const {
    const graph_node& g = at(n);
    std::size_t last = no_axis;
    for (std::size_t a = 0; a < g.rank; ++a) {
        if (a >= batch_rank(g) || is_rows_loop(b[a]) || is_columns_loop(b[a])) b[a] = whole_axis;
        if (b[a] != whole_axis) last = a;
    }
    if (last == no_axis || axis_of_matrices(g, b) != no_axis || !fill_lanes(g, last)) return b;
    std::size_t bytes = g.element_bytes * g.extents[last];
    for (std::size_t a = batch_rank(g); a < g.rank; ++a) bytes *= g.extents[a];
    if (bytes <= most_matrices_bytes) b[last] = whole_axis;
    return b;
}

constexpr void planner::acquire_matrices(stage& s, node_index n, const binding_list& b, const loop_stack& stack) {
    make_base(n, b, stack, false);
    const matrix m = read_strides(s, n, b, stack);
    const node_index source = base_of(n);
    const bool divided = at(source).kind == node_kind::softmax && read_of(s, source).factors != no_buffer;
    if (m.affine && !reads_narrow(s, n) && !divided) return;
    if (divided) mark_filled(read_of(s, source).values);
    copy_of(s, n, b, stack, layout::columns_in_lanes);
}

constexpr auto planner::emit_matrices(node_index top, const destination& out, const binding_list& b, loop_stack stack)
    -> buffer_index {
    const std::size_t opened = stack.depth;
    const graph_node& g = at(top);
    stage s = new_stage(stage_kind::matrix);
    s.top = s.core = s.space = top;
    s.top_axes = same_axes;
    s.bindings = b;
    s.row_axis = axis_of_matrices(g, b);
    const bool in_lanes = fill_lanes(g, s.row_axis);
    s.lanes = in_lanes ? lane_axis::rows : lane_axis::columns;
    for (std::size_t a = 0; a < batch_rank(g); ++a)
        if (a != s.row_axis && s.bindings[a] == whole_axis && g.extents[a] > 1)
            s.bindings[a] = open_loop(stack, g.extents[a], false, top);
    s.loop = stack.innermost();
    for (std::size_t i = 0; i < g.operand_count; ++i)
        acquire_matrices(s, g.operands[i], operand_bindings(g, at(g.operands[i]), i, s.bindings), stack);
    const matrix_sizes sizes = sizes_of_matrices(g, at(g.operands[0]));
    if (const std::size_t elements =
            matrix_scratch(sizes, target.lanes(g.element_bytes), form_of_matrices(sizes, in_lanes));
        elements != 0) {
        s.table = add_buffer(top, buffer_role::table, all_whole, stack.innermost());
        plan.buffers[s.table].bytes = elements * g.element_bytes;
    }
    buffer_index buffer = no_buffer;
    if (out.free) {
        buffer = add_buffer(top, buffer_role::values, b, stack.innermost_of(opened));
        lay_out(plan.buffers[buffer], g.rank == 0 ? no_axis : g.rank - 1u, no_axis, false);
    }
    aim(s, out, buffer);
    add_stage(s);
    close_loops(stack, opened);
    return buffer;
}

}  // namespace ashlar::detail
