// SPDX-License-Identifier: BSL-1.0
// Emits stages: elementwise ones, products with their epilogues, and joins.
#pragma once

#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/plan/build/planner.hpp>
#include <ashlar/plan/choose/conditional_loads.hpp>

namespace ashlar::inline v0_1::detail {

/// Bytes of a tile of columns that wait for their transposition: half of a small L1.
inline constexpr std::size_t column_tile_bytes = 16 * 1024;

/// Whether transposing a column-major right operand is less work than transposing the left one and the result, and its
/// copy is small.
constexpr bool copying_right_pays(std::size_t rows, std::size_t columns, std::size_t depth, std::size_t element_bytes) {
    constexpr std::size_t most_bytes = 64 * 1024;
    return columns * depth < rows * (columns + depth) && columns * depth * element_bytes <= most_bytes;
}

/// Whether a product with its rows in lanes and a transposition of the result cost less than one with columns in lanes.
constexpr bool transposing_pays(std::size_t rows, std::size_t columns, std::size_t depth, std::size_t width) {
    const std::size_t vectors_of_rows = (rows + width - 1) / width, vectors_of_columns = (columns + width - 1) / width;
    const std::size_t transpose =
        columns <= 4 ? columns * columns * vectors_of_rows : 4 * width * vectors_of_rows * vectors_of_columns;
    return width > 1 && rows * vectors_of_columns * depth > columns * vectors_of_rows * depth + transpose;
}

/// Whether that product ends a softmax of few rows in registers, which transposes its result itself.
constexpr bool transposed_in_registers(std::size_t rows, std::size_t columns, std::size_t keys, std::size_t width) {
    const std::size_t packs = 2 * rows <= width ? width / packed_k_line(rows) : 1;
    return rows <= width && keys <= width && 2 * columns <= width && width % columns == 0 && columns % packs == 0;
}

/// Removes gaps between the lines of a buffer of few rows, which are the columns of what `made` computes, up to the
/// next power of two, so that several lines fill a register.
constexpr void shorten_lines(plan_buffer& b, plan_stage& made, std::size_t columns, std::size_t line,
                             std::size_t width) {
    std::size_t column = no_axis;
    for (std::size_t a = 0; a < max_rank; ++a) {
        if (made.top_axes[a] == made.column_axis)
            column = a;
        else if (b.strides[a] > 1)
            return;
    }
    if (column == no_axis) return;
    const std::size_t element_bytes = b.bytes / (columns * width);
    b.strides[column] = static_cast<std::ptrdiff_t>(line);
    b.bytes = (columns * line + width - 1) / width * width * element_bytes;
    b.padded = false;
    made.strides = b.strides;
}

constexpr auto planner::emit(node_index top, destination out, binding_list b, const loop_stack& stack) -> buffer_index {
    for (;;) {
        const graph_node& g = at(top);
        if (g.kind == node_kind::let) {
            top = g.same_as;
        } else if (is_index_map(g.kind) && !out.free && at(base_of(top)).kind != node_kind::array) {
            const graph_node& o = at(g.operands[0]);
            const stride_result below = lower_strides(g, o, out.strides, b);
            if (!below.affine) break;
            b = operand_bindings(g, o, 0, b);
            out.strides = below.strides;
            top = g.operands[0];
        } else {
            break;
        }
    }
    const graph_node& g = at(top);
    // Inside a loop along its own axis a join that is part of another one is computed whole and then copied.
    if (g.kind == node_kind::concat && b[g.axis] == whole_axis) return emit_concat(top, out, b, stack);
    // Bindings that it cannot honour: it is computed first, and then copied.
    if (g.kind == node_kind::matrix && demote(top, b) == b) return emit_matrices(top, out, b, stack);
    core_choice choice;
    search_core(top, g, same_axes, b, stack, choice);
    if (choice.core != no_node && g.element_bytes <= at(choice.core).element_bytes &&
        widest(top, choice.core) <= at(choice.core).element_bytes)
        return emit_product(top, choice, out, b, stack);
    return emit_map(top, out, b, stack);
}

constexpr auto planner::emit_concat(node_index top, destination out, const binding_list& b, const loop_stack& stack)
    -> buffer_index {
    const graph_node& g = at(top);
    buffer_index buffer = no_buffer;
    if (out.free) {
        buffer = add_buffer(top, buffer_role::values, b, stack.innermost());
        lay_out(plan.buffers[buffer], g.rank - 1u, no_axis, false);
        out.free = false;
        out.buffer = buffer;
        out.strides = plan.buffers[buffer].strides;
    }
    for (std::size_t i = 0; i < g.operand_count; ++i) {
        const graph_node& part = at(g.operands[i]);
        emit(g.operands[i], out, operand_bindings(g, part, i, b), stack);
        out.origin += out.strides[g.axis] * static_cast<std::ptrdiff_t>(part.extents[g.axis]);
    }
    return buffer;
}

constexpr void planner::aim(stage& s, const destination& out, buffer_index buffer) const {
    s.buffer = out.free ? buffer : out.buffer;
    s.store = out.store;
    s.origin = out.origin;
    s.strides = out.free ? plan.buffers[buffer].strides : out.strides;
}

constexpr void planner::open_loops(stage& s, const graph_node& space, loop_stack& stack, node_index inside) {
    for (std::size_t a = 0; a < space.rank; ++a)
        if (a != s.row_axis && a != s.column_axis && s.bindings[a] == whole_axis && space.extents[a] > 1)
            s.bindings[a] = open_loop(stack, space.extents[a], false, inside);
    if (s.row_axis != no_axis && s.bindings[s.row_axis] == whole_axis && space.extents[s.row_axis] > 1)
        s.bindings[s.row_axis] = open_loop(stack, space.extents[s.row_axis], true, inside);
    s.loop = stack.innermost();
}

constexpr std::size_t planner::rows_of(const stage& s, const graph_node& space) const {
    if (s.row_axis == no_axis) return 1;
    const loop_index loop = s.bindings[s.row_axis];
    return loop == whole_axis ? space.extents[s.row_axis] : bound_extent(loop);
}

constexpr auto planner::emit_product(node_index top, const core_choice& choice, destination out,
                                     const binding_list& bindings, loop_stack stack) -> buffer_index {
    const std::size_t opened = stack.depth;
    const graph_node& core = at(choice.core);
    const graph_node& g = at(top);
    stage s = new_stage(stage_kind::product);
    s.top = top;
    s.core = s.space = choice.core;
    s.row_axis = core.rank - 2u;
    s.column_axis = core.rank - 1u;
    s.top_axes = choice.top_axes;
    for (std::size_t a = 0; a < g.rank; ++a)
        if (choice.top_axes[a] != no_axis) s.bindings[choice.top_axes[a]] = bindings[a];
    open_loops(s, core, stack, top);

    binding_list top_bindings = all_whole;
    for (std::size_t a = 0; a < g.rank; ++a)
        if (choice.top_axes[a] != no_axis) top_bindings[a] = s.bindings[choice.top_axes[a]];

    const node_index left = core.operands[0], right = core.operands[1];
    const graph_node& l = at(left);
    const graph_node& r = at(right);
    matrix b = acquire_right(s, right, operand_bindings(core, r, 1, s.bindings), stack);
    // Only with columns in lanes do excluded zeros keep the right operand's rows out of the sums.
    const bool excludes = l.excluded == exclusion::zero;
    const bool by_rows = b.strides[r.rank - 1u] != 1 && core.extents[s.column_axis] > 1;
    if (by_rows && (excludes || (!out.free && copying_right_pays(core.extents[s.row_axis], core.extents[s.column_axis],
                                                                 r.extents[r.rank - 2u], r.element_bytes))))
        b = copy_of(s, right, operand_bindings(core, r, 1, s.bindings), stack, layout::columns_in_lanes);
    const std::size_t rows = rows_of(s, core), width = target.lanes(core.element_bytes);
    // Kernels convert f16 and bf16 in their vector loads: of rows with columns in lanes, and of columns in dot
    // products. Many rows use dot products only if a copy would be large.
    if (b.strides[r.rank - 1u] != 1 && core.extents[s.column_axis] > 1 && 2 * rows > width && reads_narrow(s, right) &&
        core.extents[s.column_axis] * r.extents[r.rank - 2u] * r.element_bytes <= target.l2_bytes / 2)
        b = copy_of(s, right, operand_bindings(core, r, 1, s.bindings), stack, layout::columns_in_lanes);
    const bool converts = reads_narrow(s, right) || at(resolve(right)).quantized;
    const bool shuffles = target.shuffles(core.element_bytes, core.scalar == scalar_kind::floating);
    const bool unit_columns = b.strides[r.rank - 1u] == 1 || core.extents[s.column_axis] == 1;
    const std::size_t depth = l.extents[l.rank - 1u], columns = core.extents[s.column_axis], line = packed_k_line(rows);
    // A tile of few rows has all of them, unless registers hold more small integers than a tile has rows.
    const bool all_rows = s.row_axis == no_axis || core.extents[s.row_axis] <= rows;
    bool packs_k = out.free && !excludes && !converts && !unit_columns && columns > 1 &&
                   (all_rows || 2 * rows > width) && fits_packed_k(rows, columns, depth, width) &&
                   (shuffles || 2 * rows <= width) && at(base_of(left)).kind != node_kind::softmax;
    // The weights' rows are in lanes already. The result's rows may be too, if its columns would leave lanes idle.
    bool transposes = !out.free && !excludes && !converts && unit_columns && s.column_block == 0 &&
                      at(base_of(left)).kind == node_kind::softmax && transposing_pays(rows, columns, depth, width) &&
                      !(shuffles && transposed_in_registers(rows, columns, depth, width) &&
                        is_uniform_product(at(base_of(left)).operands[0]));
    if (packs_k || transposes) {
        const binding_list of_left = operand_bindings(core, l, 0, s.bindings);
        make_base(left, of_left, stack, true);
        const matrix a = read_strides(s, left, of_left, stack);
        packs_k =
            packs_k && a.affine && !reads_narrow(s, left) && a.strides[l.rank - 1u] == 1 && a.strides[l.rank - 2u] >= 0;
        transposes = transposes && a.affine && !reads_narrow(s, left) && a.strides[l.rank - 2u] == 1 &&
                     a.strides[l.rank - 1u] >= 0;
    }
    // Sums of blocks of keys wait in lanes of columns, even a single one. All rows: workers' tiles have fewer, and the
    // same bits.
    const graph_node& made_of = at(base_of(left));
    const std::size_t all = s.row_axis == no_axis ? 1 : core.extents[s.row_axis];
    const bool in_blocks =
        made_of.kind == node_kind::softmax && made_of.axis + 1u == made_of.rank &&
        leave_the_cache((all < tall_tile_rows ? all : tall_tile_rows) * depth * l.element_bytes, target);
    if (packs_k || transposes)
        s.lanes = lane_axis::rows;
    else if (excludes || (unit_columns && in_blocks) ||
             (unit_columns && !(core.extents[s.column_axis] == 1 && b.strides[r.rank - 2u] == 1)))
        s.lanes = lane_axis::columns;
    else
        s.lanes = rows * 2 > width && core.extents[s.column_axis] > 1 && !converts ? lane_axis::rows : lane_axis::depth;
    if (!packs_k) acquire_left(s, left, operand_bindings(core, l, 0, s.bindings), stack);
    s.support = s.left_factor != no_node ? support_of(s.left_factor) : support_of_map(left);
    if (g.kind == node_kind::masked && out.only_support && s.left_factor == no_node) s.support = top;

    prepare(top, top_bindings, s, stack);
    if (const std::size_t tile = packs_k || transposes ? 0 : column_tile(s, g, out, core); tile != 0) {
        s.loop = s.bindings[s.column_axis] = open_column_loop(stack, columns, tile);
        for (std::size_t a = 0; a < g.rank; ++a)
            if (s.top_axes[a] == s.column_axis) top_bindings[a] = s.loop;
    }
    const buffer_index buffer = finish_rows(s, g, out, out.free ? bindings : top_bindings,
                                            stack.innermost_of(out.free ? opened : stack.depth), stack);
    if (packs_k && 2 * rows <= width)
        shorten_lines(plan.buffers[buffer], plan.stages[plan.stage_count - 1], core.extents[s.column_axis], line,
                      width);
    close_loops(stack, opened);
    return buffer;
}

constexpr std::size_t planner::column_tile(const stage& s, const graph_node& top, const destination& out,
                                           const graph_node& core) const {
    if (s.lanes != lane_axis::rows || out.free || top.kind == node_kind::masked || s.support != no_node ||
        s.left_factor != no_node)
        return 0;
    for (std::size_t a = 0; a < top.rank; ++a)
        if (s.top_axes[a] == s.row_axis && (out.strides[a] == 1 || top.extents[a] == 1)) return 0;
    const std::size_t width = target.lanes(core.element_bytes), columns = core.extents[s.column_axis];
    const std::size_t most = column_tile_bytes / ((rows_of(s, core) + width - 1) / width * width * core.element_bytes);
    if (columns <= 2 * most || most < width) return 0;
    const std::size_t tiles = (columns + most - 1) / most;
    return ((columns + tiles - 1) / tiles + width - 1) / width * width;
}

constexpr auto planner::finish_rows(stage& s, const graph_node& top, const destination& out, const binding_list& held,
                                    loop_index scope, const loop_stack& stack) -> buffer_index {
    std::size_t row = no_axis, column = no_axis;
    for (std::size_t a = 0; a < top.rank; ++a) {
        if (s.top_axes[a] == s.row_axis) row = a;
        if (s.top_axes[a] == s.column_axis) column = a;
    }
    const std::size_t lane = s.lanes == lane_axis::rows ? row : column;
    const bool direct = out.free || lane == no_axis || top.extents[lane] == 1 || out.strides[lane] == 1 ||
                        target.lanes(top.element_bytes) == 1;
    if (direct && !out.free) {
        aim(s, out, no_buffer);
        add_stage(s);
        return no_buffer;
    }
    const buffer_index buffer = add_buffer(s.top, buffer_role::values, held, scope);
    const std::size_t innermost = lane != no_axis ? lane : row;
    lay_out(plan.buffers[buffer], innermost, innermost == row ? column : row, s.lanes == lane_axis::rows);
    aim(s, destination{.free = true}, buffer);
    add_stage(s);
    return out.free ? buffer : emit_map(s.top, out, held, stack);
}

constexpr auto planner::emit_map(node_index top, destination out, const binding_list& bindings, loop_stack stack)
    -> buffer_index {
    const std::size_t opened = stack.depth;
    const graph_node& g = at(top);
    stage s = new_stage(stage_kind::map);
    s.top = s.space = top;
    s.bindings = bindings;
    s.top_axes = same_axes;
    choose_map_axes(s, g, out);
    open_loops(s, g, stack, top);
    prepare(top, s.bindings, s, stack);
    buffer_index buffer = no_buffer;
    if (out.free) {
        const bool rows_first = out.wanted == layout::rows_in_lanes;
        buffer = add_buffer(top, buffer_role::values, bindings, stack.innermost_of(opened));
        lay_out(plan.buffers[buffer],
                rows_first                 ? s.row_axis
                : s.column_axis != no_axis ? s.column_axis
                                           : s.row_axis,
                rows_first ? s.column_axis : s.row_axis, rows_first);
        aim(s, out, buffer);
        s.lanes = rows_first ? lane_axis::rows : lane_axis::columns;
    } else {
        aim(s, out, no_buffer);
        s.lanes = s.row_axis != no_axis &&
                          (s.column_axis == no_axis || (s.strides[s.row_axis] == 1 && s.strides[s.column_axis] != 1))
                      ? lane_axis::rows
                      : lane_axis::columns;
    }
    if (s.column_axis == no_axis && s.row_axis != no_axis) s.lanes = lane_axis::rows;
    add_stage(s);
    close_loops(stack, opened);
    return buffer;
}

constexpr void planner::choose_map_axes(stage& s, const graph_node& g, const destination& out) const {
    for (std::size_t a = 0; a < g.rank; ++a)
        if (is_rows_loop(s.bindings[a])) s.row_axis = a;
    for (std::size_t a = 0; a < g.rank; ++a)
        if (is_columns_loop(s.bindings[a])) s.column_axis = a;
    if (!out.free)
        for (std::size_t a = g.rank; a-- > 0;)
            if (s.column_axis == no_axis && s.bindings[a] == whole_axis && out.strides[a] == 1 && g.extents[a] > 1)
                s.column_axis = a;
    for (std::size_t a = g.rank; a-- > 0;)
        if (s.column_axis == no_axis && s.bindings[a] == whole_axis && g.extents[a] > 1) s.column_axis = a;
    for (std::size_t a = g.rank; a-- > 0;)
        if (s.row_axis == no_axis && a != s.column_axis && s.bindings[a] == whole_axis && g.extents[a] > 1)
            s.row_axis = a;
    bool any = false;
    if (!out.free && limited == limited_tiles::none && s.row_axis != no_axis && s.column_axis + 1u == g.rank &&
        s.bindings[s.row_axis] == whole_axis && s.bindings[s.column_axis] == whole_axis &&
        out.strides[s.column_axis] == 1 && g.extents[s.column_axis] >= target.lanes(g.element_bytes) &&
        folds_before_last(s, s.top, any) && any) {
        s.row_axis = s.column_axis;
        s.column_axis = no_axis;
    }
}

constexpr bool planner::folds_few(node_index n) const {
    constexpr std::size_t most_entries = 9, most_of_windows = 64;
    const graph_node& g = at(n);
    if (g.kind != node_kind::reduce || !is_plain_fold(static_cast<reduction_kind>(g.variant))) return false;
    const graph_node& x = at(g.operands[0]);
    constexpr stage rows{.kind = stage_kind::reduce};
    return g.scalar == x.scalar && !loads_conditionally(arrays(), rows, g.operands[0]) &&
           x.size() <= g.size() * (x.kind == node_kind::window ? most_of_windows : most_entries);
}

constexpr bool planner::folds_in_place(node_index n, const stage& s) const {
    constexpr std::size_t most_of_nested = 64;
    if (s.kind != stage_kind::map || !folds_few(n)) return false;
    const std::size_t elements = at(s.top).size();
    return at(n).size() % elements == 0 && at(at(n).operands[0]).size() <= most_of_nested * elements;
}

constexpr bool planner::folds_before_last(const stage& s, node_index n, bool& any) const {
    n = resolve(n);
    const graph_node& g = at(n);
    if (g.rank == 0 || g.extents[g.rank - 1u] == 1) return g.kind == node_kind::scalar;
    if (const stride_result lies = arrays().strides(n, {}); lies.affine) return lies.strides[g.rank - 1u] == 1;
    if (g.kind == node_kind::reduce) {
        any = any || !folds_in_place(n, s);
        return g.axis + 1u < at(g.operands[0]).rank && folds_before_last(s, g.operands[0], any);
    }
    if (g.kind != node_kind::map) return false;
    for (std::size_t i = 0; i < g.operand_count; ++i)
        if (!folds_before_last(s, g.operands[i], any)) return false;
    return true;
}

constexpr auto planner::emit_matrix_copy(node_index n, destination out, const binding_list& b, loop_stack stack)
    -> buffer_index {
    const std::size_t opened = stack.depth;
    const graph_node& g = at(n);
    stage s = new_stage(stage_kind::map);
    s.top = s.space = n;
    s.bindings = b;
    s.top_axes = same_axes;
    s.row_axis = g.rank - 2u;
    s.column_axis = g.rank - 1u;
    open_loops(s, g, stack, n);
    prepare(n, s.bindings, s, stack);
    const bool rows_first = out.wanted == layout::rows_in_lanes;
    const buffer_index buffer = add_buffer(n, buffer_role::values, b, stack.innermost_of(opened));
    lay_out(plan.buffers[buffer], rows_first ? s.row_axis : s.column_axis, rows_first ? s.column_axis : s.row_axis,
            rows_first);
    s.lanes = rows_first ? lane_axis::rows : lane_axis::columns;
    aim(s, out, buffer);
    add_stage(s);
    close_loops(stack, opened);
    return buffer;
}

}  // namespace ashlar::detail
