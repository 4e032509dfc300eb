// SPDX-License-Identifier: BSL-1.0
// What a stage reads from memory: operands of products, values that must exist first, stores.
#pragma once

#include <ashlar/plan/build/planner.hpp>

namespace ashlar::inline v0_1::detail {

constexpr bool planner::find_memory(stage& s, node_index n, const binding_list& b, const loop_stack& stack) const {
    n = resolve(n);
    const graph_node& g = at(n);
    if (g.kind == node_kind::array) return true;
    // Checks the other operand too, which may be the same value: it must not lose its buffer.
    if (const buffer_index held = read_of(s, n).values; held != no_buffer)
        if (plan.buffers[held].role == buffer_role::values && holds(plan.buffers[held], b, g.rank)) return true;
    if (const buffer_index found = find_buffer(n, buffer_role::values, b, stack); found != no_buffer) {
        read_of(s, n).values = found;
        return true;
    }
    if (g.kind == node_kind::softmax) {
        const buffer_index found = find_buffer(n, buffer_role::numerators, b, stack);
        if (found == no_buffer) return false;
        read_of(s, n).values = found;
        read_of(s, n).factors = find_buffer(n, buffer_role::scales, b, stack);
        return true;
    }
    if (g.kind == node_kind::store) return find_memory(s, g.operands[0], b, stack);
    return is_index_map(g.kind) && find_memory(s, g.operands[0], operand_bindings(g, at(g.operands[0]), 0, b), stack);
}

constexpr void planner::make_base(node_index n, const binding_list& b, const loop_stack& stack, bool as_factor) {
    std::array<node_index, 32> chain{};
    std::array<binding_list, 32> bound{};
    std::size_t depth = 0;
    binding_list here = b;
    node_index m = resolve(n);
    while (is_index_map(at(m).kind) || at(m).kind == node_kind::store) {
        if (at(m).kind == node_kind::store) emit_store(m, here, stack);
        chain[depth] = m;
        bound[depth++] = here;
        here = operand_bindings(at(m), at(at(m).operands[0]), 0, here);
        m = resolve(at(m).operands[0]);
    }
    const graph_node& g = at(m);
    if (g.kind == node_kind::array || find_buffer(m, buffer_role::values, here, stack) != no_buffer) return;
    if (g.kind == node_kind::softmax && as_factor && g.variant == 0 && g.axis + 1u == g.rank &&
        only_batch_maps(chain, depth)) {
        make_statistics(m, here, stack);
        return;
    }
    binding_list kept = demote(m, here);
    const loop_stack prefix = dependent_prefix(stack, g.rank, kept);
    if (find_buffer(m, buffer_role::values, kept, prefix) != no_buffer) return;
    destination out;
    out.free = true;
    axis_list strides = row_major_view(at(chain[0]), bound[0], prefix, depth);
    bool invertible = depth != 0;
    for (std::size_t i = 0; i < depth && invertible; ++i) {
        const graph_node& map = at(chain[i]);
        if (map.kind == node_kind::store) continue;
        binding_list outer = bound[i];
        for (std::size_t a = 0; a < map.rank; ++a)
            if (outer[a] != whole_axis && !prefix.contains(outer[a])) outer[a] = whole_axis;
        const stride_result below = lower_strides(map, at(map.operands[0]), strides, outer);
        invertible = below.affine;
        strides = below.strides;
    }
    if (invertible && needs_layout(g, strides)) {
        const buffer_index buffer = add_buffer(m, buffer_role::values, kept, prefix.innermost());
        plan_buffer& made = plan.buffers[buffer];
        lay_out(made, g.rank - 1u, no_axis, false);
        for (std::size_t a = 0; a < g.rank; ++a)
            made.strides[a] = g.extents[a] == 1 || (kept[a] != whole_axis && !is_rows_loop(kept[a])) ? 0 : strides[a];
        out.free = false;
        out.buffer = buffer;
        out.strides = made.strides;
        made.node = no_node;  // not to be read while it is being computed
        emit(m, out, kept, prefix);
        plan.buffers[buffer].node = m;
        return;
    }
    emit(m, out, kept, prefix);
}

constexpr bool planner::needs_layout(const graph_node& g, const axis_list& strides) const {
    return g.rank != 0 && g.extents[g.rank - 1u] != 1 && strides[g.rank - 1u] == 1;
}

constexpr bool planner::only_batch_maps(const std::array<node_index, 32>& chain, std::size_t depth) const {
    for (std::size_t i = 0; i < depth; ++i) {
        const graph_node& map = at(chain[i]);
        if (map.kind == node_kind::store) continue;
        const graph_node& o = at(map.operands[0]);
        const axis_map from = carried_axes(map, o, 0);
        if (o.rank < 2 || map.rank < 2) return false;
        if (from[o.rank - 1u] != map.rank - 1u) return false;
        if (from[o.rank - 2u] != map.rank - 2u) return false;
    }
    return true;
}

constexpr axis_list planner::row_major_view(const graph_node& g, const binding_list& b, const loop_stack& prefix,
                                            std::size_t depth) const {
    axis_list strides{};
    if (depth == 0) return strides;
    std::ptrdiff_t step = 1;
    for (std::size_t a = g.rank; a-- > 0;) {
        std::size_t extent = g.extents[a];
        if (b[a] != whole_axis && prefix.contains(b[a]) && bound_extent(b[a]) < extent) extent = bound_extent(b[a]);
        strides[a] = step;
        step *= static_cast<std::ptrdiff_t>(extent);
    }
    return strides;
}

constexpr auto planner::read_in_blocks(stage& s, node_index n, const binding_list& b) const -> matrix {
    const graph_node& g = at(n);
    const std::size_t run = at(base_of(n)).kind == node_kind::array ? run_along(nodes, n, g.rank - 1u) : 0;
    if (run == 0 || run % target.lanes(g.element_bytes) != 0) return {};
    std::array<bool, max_rank> fixed = entries_of_loops(b);
    fixed[g.rank - 1u] = true;
    const stride_result inside = arrays().strides(n, fixed);
    if (!inside.affine || inside.strides[g.rank - 1u] != 1 ||
        (inside.strides[g.rank - 2u] <= 0 && g.extents[g.rank - 2u] != 1))
        return {};
    s.column_block = run;
    return {inside.strides, true};
}

constexpr auto planner::acquire_right(stage& s, node_index n, const binding_list& b, const loop_stack& stack)
    -> matrix {
    // Panels are read in place: the strides are those inside a panel.
    if (const graph_node& p = at(resolve(n)); p.kind == node_kind::packed) {
        matrix panels;
        panels.affine = true;
        panels.strides[0] = static_cast<std::ptrdiff_t>(p.panel);
        panels.strides[1] = 1;
        return panels;
    }
    make_base(n, b, stack, false);
    matrix m = read_strides(s, n, b, stack);
    const graph_node& g = at(n);
    const auto rows = m.strides[g.rank - 2u], columns = m.strides[g.rank - 1u];
    // Kernels count the depth by the right operand's address, upwards.
    const bool moves = rows > 0 || g.extents[g.rank - 2u] == 1;
    if (m.affine && moves && columns >= 0 && (columns == 1 || rows == 1 || g.extents[g.rank - 1u] == 1)) return m;
    if (!m.affine)
        if (const matrix blocks = read_in_blocks(s, n, b); blocks.affine) return blocks;
    return copy_of(s, n, b, stack, layout::columns_in_lanes);
}

constexpr bool planner::acquire_pieces(stage& s, node_index n, const binding_list& b, const loop_stack& stack) {
    const graph_node &g = at(resolve(n)), &weights = at(resolve(at(s.core).operands[1]));
    if (g.kind != node_kind::concat || g.axis + 1u != g.rank || g.operand_count == 1 || !weights.quantized ||
        weights.scale_group != 0 || weights.spread > 1)
        return false;
    const std::size_t part = at(g.operands[0]).extents[g.rank - 1u];
    if (!is_whole_piece(part, target.lanes(g.element_bytes))) return false;
    for (std::size_t i = 0; i < g.operand_count; ++i)
        if (at(g.operands[i]).extents[g.rank - 1u] != part || at(base_of(g.operands[i])).kind == node_kind::softmax)
            return false;
    matrix first;
    for (std::size_t i = 0; i < g.operand_count; ++i) {
        const node_index one = g.operands[i];
        make_base(one, b, stack, false);
        const matrix m = read_strides(s, one, b, stack);
        if (i == 0) first = m;
        if (!m.affine || reads_narrow(s, one) || m.strides[g.rank - 1u] != 1 || m.strides[g.rank - 2u] <= 0 ||
            m.strides[g.rank - 2u] != first.strides[g.rank - 2u])
            return false;
    }
    return true;
}

constexpr void planner::acquire_left(stage& s, node_index n, const binding_list& b, const loop_stack& stack) {
    if (acquire_pieces(s, n, b, stack)) return;
    make_base(n, b, stack, true);
    const matrix m = read_strides(s, n, b, stack);
    const graph_node& g = at(n);
    // Flipped operands are copied, and so are those of f16 and bf16, whose elements would be converted one by one.
    bool good = m.affine && m.strides[g.rank - 2u] >= 0 && m.strides[g.rank - 1u] >= 0 && !reads_narrow(s, n);
    // A kernel that reads one row at a time takes rows at any distance.
    const bool anywhere =
        target.lanes(g.element_bytes) == 1 && (m.strides[g.rank - 2u] > 0 || g.extents[g.rank - 2u] == 1);
    if (s.lanes == lane_axis::rows)
        good = good && (m.strides[g.rank - 2u] == 1 || anywhere) &&
               (m.strides[g.rank - 1u] != 0 || g.extents[g.rank - 1u] == 1);
    if (s.lanes == lane_axis::depth) good = good && (m.strides[g.rank - 1u] == 1 || g.extents[g.rank - 1u] == 1);
    const node_index source = base_of(n);
    // Neighbours are rounded to 8 bits, with one scale for the softmax after its division. One at a time they may lie
    // anywhere.
    const graph_node& weights = at(resolve(at(s.core).operands[1]));
    const bool one_by_one = target.lanes(g.element_bytes) == 1 && weights.scale_group == 0 && weights.spread <= 1 &&
                            m.strides[g.rank - 1u] > 0;
    if (weights.quantized)
        good = good && (m.strides[g.rank - 1u] == 1 || g.extents[g.rank - 1u] == 1 || one_by_one) &&
               at(source).kind != node_kind::softmax;
    if (good) {
        if (at(source).kind == node_kind::softmax && at(source).variant == 0 &&
            read_of(s, source).values != no_buffer && read_of(s, source).factors != no_buffer)
            s.left_factor = source;
        return;
    }
    if (at(source).kind == node_kind::softmax) mark_filled(read_of(s, source).values);
    copy_of(s, n, b, stack, s.lanes == lane_axis::rows ? layout::rows_in_lanes : layout::columns_in_lanes);
}

constexpr auto planner::copy_of(stage& s, node_index n, const binding_list& bindings, const loop_stack& stack,
                                layout wanted) -> matrix {
    const node_index use = n;  // other uses of the same value keep their own layout
    n = resolve(n);
    const graph_node& g = at(n);
    binding_list b = bindings;
    const loop_stack prefix = dependent_prefix(stack, g.rank, b);
    buffer_index buffer = find_buffer(n, buffer_role::values, b, prefix, wanted, g.rank - 2u);
    if (buffer == no_buffer || (wanted == layout::columns_in_lanes && plan.buffers[buffer].strides[g.rank - 1u] != 1)) {
        buffer = emit_matrix_copy(n, destination{.free = true, .wanted = wanted}, b, prefix);
    }
    read_of(s, use) = {buffer, no_buffer};  // the factors are part of what has been copied
    return {plan.buffers[buffer].strides, true};
}

constexpr void planner::prepare(node_index n, const binding_list& b, stage& s, const loop_stack& stack) {
    const graph_node& g = at(n);
    if (n == s.core && s.kind == stage_kind::product) return;
    if (g.kind == node_kind::let) return prepare(g.same_as, b, s, stack);
    if (g.kind == node_kind::let_value) {
        const node_index value = resolve(n);
        if (at(value).uses > 1 && is_costly(value) && !is_row_statistic(at(value).kind))
            return prepare_made(value, b, s, stack);
        return prepare(value, b, s, stack);
    }
    if (g.kind == node_kind::array || g.kind == node_kind::scalar || g.kind == node_kind::index ||
        g.kind == node_kind::mask)
        return;
    if (is_read(s, n, b)) return;
    if (g.kind == node_kind::store) {
        emit_store(n, b, stack);
        return prepare(g.operands[0], b, s, stack);
    }
    if (is_row_statistic(g.kind) && !folds_in_place(n, s)) {
        const bool pools = folds_few(n) && at(g.operands[0]).kind == node_kind::window;
        return pools ? prepare_made(n, b, s, stack) : prepare_statistics(n, b, s, stack);
    }
    if (g.kind == node_kind::reduce)
        if (const node_index value = base_of(g.operands[0]);
            at(g.operands[0]).size() > at(value).size() && has_costly_function(value))
            make_base(g.operands[0], operand_bindings(g, at(g.operands[0]), 0, b), stack, false);
    if (const buffer_index found = find_buffer(n, buffer_role::values, b, stack); found != no_buffer) {
        read_of(s, n).values = found;
        return;
    }
    if (is_made_first(g.kind)) return prepare_made(n, b, s, stack);
    if (g.kind == node_kind::reshape && at(base_of(n)).kind != node_kind::array && !carries_all(g, at(g.operands[0]))) {
        make_base(n, b, stack, false);
    }
    for (std::size_t i = 0; i < g.operand_count; ++i)
        prepare(g.operands[i], operand_bindings(g, at(g.operands[i]), i, b), s, stack);
}

constexpr bool planner::carries_all(const graph_node& g, const graph_node& operand) const {
    const axis_map from = carried_axes(g, operand, 0);
    for (std::size_t a = 0; a < operand.rank; ++a)
        if (operand.extents[a] != 1 && from[a] == no_axis) return false;
    return true;
}

constexpr void planner::prepare_made(node_index n, const binding_list& bindings, stage& s, const loop_stack& stack) {
    if (is_read(s, n, bindings)) return;
    binding_list b = demote(n, bindings);
    const loop_stack prefix = dependent_prefix(stack, at(n).rank, b);
    buffer_index buffer = find_buffer(n, buffer_role::values, b, prefix);
    if (buffer == no_buffer) buffer = emit(n, destination{.free = true}, b, prefix);
    read_of(s, n).values = buffer;
}

constexpr void planner::emit_store(node_index n, const binding_list& bindings, const loop_stack& stack) {
    for (std::size_t i = 0; i < plan.stage_count; ++i)
        if (plan.stages[i].store == n) return;
    const node_index value = at(n).operands[0];
    binding_list b = bindings;
    const loop_stack prefix = dependent_prefix(stack, at(n).rank, b);
    make_base(value, b, prefix, true);
    destination out;
    out.store = n;
    out.strides = at(n).strides;
    emit_map(value, out, b, prefix);
}

}  // namespace ashlar::detail
