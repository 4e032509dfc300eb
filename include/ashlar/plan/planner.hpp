// SPDX-License-Identifier: BSL-1.0
// From axis maps to a program: which values are made where, inside which loops, and in which layout.
#pragma once

#include <ashlar/plan/program_builder.hpp>
#include <ashlar/plan/schedule.hpp>

namespace ashlar::detail {

/// Builds a program from the root down. What a stage needs in memory is emitted first, inside the outermost loops
/// that it depends on; everything else is evaluated inside the stage that reads it.
template <std::size_t Count>
class planner : program_builder<Count> {
    using base = program_builder<Count>;
    using typename base::destination;
    using typename base::id;
    using typename base::layout;
    using typename base::loop_stack;
    using base::add_buffer, base::add_item, base::add_stage, base::at, base::base_of, base::bound_extent,
        base::close_loops, base::contains_product, base::find_buffer, base::is_costly, base::is_row_statistic,
        base::lay_out, base::nodes, base::open_loop, base::plan, base::resolve, base::target;
    using stage = plan_stage<Count>;

public:
    constexpr planner(const std::array<graph_node, Count>& graph, plan_target machine) : base{graph, machine} {}

    constexpr program<Count> run(const axis_list& strides) {
        destination out;
        out.strides = strides;
        emit(static_cast<id>(Count - 1), out, all_whole, loop_stack{});
        finish_program(plan);
        return plan;
    }

private:
    static constexpr std::size_t index(id i) { return static_cast<std::size_t>(i); }

    constexpr stage new_stage(stage_kind kind) const {
        stage s;
        s.kind = kind;
        s.values.fill(-1);
        s.factors.fill(-1);
        return s;
    }

    constexpr bool is_rows_loop(id loop) const { return loop != whole && plan.loops[index(loop)].rows; }

    // ------------------------------------------------------------------ choosing what a stage computes

    /// The product inside an elementwise expression that is applied to its elements one by one, so that the rest can
    /// be its epilogue.
    struct core_choice {
        id core = -1;
        binding_list top_axes = all_whole;  // for each axis of top: the axis of the core
        std::size_t work = 0;
    };

    constexpr void search_core(id n, const graph_node& top, const binding_list& from_top, const binding_list& bindings,
                               const loop_stack& stack, core_choice& best) const {
        const graph_node& g = at(n);
        if (g.kind == op::let) return search_core(g.same_as, top, from_top, bindings, stack, best);
        if (g.kind == op::let_value) {
            if (at(resolve(n)).uses > 1) return;
            return search_core(g.same_as, top, from_top, bindings, stack, best);
        }
        if (g.kind == op::matmul) return consider_core(n, top, from_top, bindings, stack, best);
        if (g.kind != op::map && g.kind != op::masked && g.kind != op::permute && g.kind != op::reshape &&
            g.kind != op::broadcast)
            return;
        for (std::size_t i = 0; i < g.operand_count; ++i) {
            const graph_node& o = at(g.operands[i]);
            search_core(g.operands[i], top, operand_bindings(g, o, i, from_top), bindings, stack, best);
        }
    }

    constexpr void consider_core(id n, const graph_node& top, const binding_list& from_top, const binding_list& bindings,
                                 const loop_stack& stack, core_choice& best) const {
        const graph_node& g = at(n);
        binding_list to_core = all_whole, own = all_whole;
        std::size_t covered = 1;
        for (std::size_t a = 0; a < g.rank; ++a) {
            if (g.extents[a] == 1) continue;
            if (from_top[a] == whole) return;
            to_core[index(from_top[a])] = static_cast<std::int16_t>(a);
            own[a] = bindings[index(from_top[a])];
            covered *= g.extents[a];
        }
        if (covered != top.size()) return;
        const std::size_t rows = g.rank - 2u, columns = g.rank - 1u;
        if (own[columns] != whole) return;
        for (std::size_t a = 0; a < rows; ++a)
            if (is_rows_loop(own[a])) return;
        if (find_buffer(n, buffer_role::values, own, stack) != -1) return;
        const std::size_t work = g.size() * at(g.operands[0]).extents[at(g.operands[0]).rank - 1u];
        if (work > best.work) best = {n, to_core, work};
    }

    /// Bindings that a node's own loops cannot honour become whole: its columns and, for products and joins, whatever
    /// is not a row.
    constexpr binding_list demote(id n, binding_list b) const {
        const graph_node& g = at(n);
        if (g.kind == op::matmul) {
            b[g.rank - 1u] = whole;
            for (std::size_t a = 0; a + 2 < g.rank; ++a)
                if (is_rows_loop(b[a])) b[a] = whole;
        }
        if (g.kind == op::concat || is_row_statistic(g.kind)) {
            if (g.kind != op::reduce) b[g.axis] = whole;
        }
        return b;
    }

    /// The loops that a value depends on without a gap from the outermost one; bindings to others become whole.
    constexpr loop_stack dependent_prefix(const loop_stack& stack, std::size_t rank, binding_list& b) const {
        loop_stack prefix;
        for (std::size_t i = 0; i < stack.depth; ++i) {
            bool depends = false;
            for (std::size_t a = 0; a < rank; ++a)
                if (b[a] == stack.loop[i]) depends = true;
            if (!depends) break;
            prefix.push(stack.loop[i]);
        }
        for (std::size_t a = 0; a < rank; ++a)
            if (b[a] != whole && !prefix.contains(b[a])) b[a] = whole;
        return prefix;
    }

    // ------------------------------------------------------------------ emitting

    /// Emits what computes `top` into `out` and returns the buffer that holds it (-1 for a given destination).
    constexpr id emit(id top, destination out, binding_list b, const loop_stack& stack) {
        for (;;) {
            const graph_node& g = at(top);
            if (g.kind == op::let) {
                top = g.same_as;
            } else if (is_index_map(g.kind) && !out.free && at(base_of(top)).kind != op::array) {
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
        if (g.kind == op::concat) return emit_concat(top, out, b, stack);
        core_choice choice;
        binding_list identity = all_whole;
        for (std::size_t a = 0; a < g.rank; ++a) identity[a] = static_cast<std::int16_t>(a);
        search_core(top, g, identity, b, stack, choice);
        if (choice.core != -1) return emit_product(top, choice, out, b, stack);
        return emit_map(top, out, b, stack);
    }

    constexpr id emit_concat(id top, destination out, const binding_list& b, const loop_stack& stack) {
        const graph_node& g = at(top);
        id buffer = -1;
        if (out.free) {
            buffer = add_buffer(top, buffer_role::values, b, stack.innermost());
            lay_out(plan.buffers[index(buffer)], g.rank - 1u, no_axis, false);
            out.free = false;
            out.buffer = buffer;
            out.strides = plan.buffers[index(buffer)].strides;
        }
        for (std::size_t i = 0; i < g.operand_count; ++i) {
            const graph_node& part = at(g.operands[i]);
            emit(g.operands[i], out, operand_bindings(g, part, i, b), stack);
            out.origin += out.strides[g.axis] * static_cast<std::ptrdiff_t>(part.extents[g.axis]);
        }
        return buffer;
    }

    constexpr void aim(stage& s, const destination& out, id buffer) const {
        s.buffer = out.free ? buffer : out.buffer;
        s.store = out.store;
        s.origin = out.origin;
        s.strides = out.free ? plan.buffers[index(buffer)].strides : out.strides;
    }

    /// Opens a loop over every axis of the space that is bound to none, but for the columns; rows in tiles.
    constexpr void open_loops(stage& s, const graph_node& space, loop_stack& stack, id inside) {
        for (std::size_t a = 0; a < space.rank; ++a)
            if (a != s.row_axis && a != s.column_axis && s.bindings[a] == whole && space.extents[a] > 1)
                s.bindings[a] = open_loop(stack, space.extents[a], false, inside);
        if (s.row_axis != no_axis && s.bindings[s.row_axis] == whole && space.extents[s.row_axis] > 1)
            s.bindings[s.row_axis] = open_loop(stack, space.extents[s.row_axis], true, inside);
        s.loop = stack.innermost();
    }

    constexpr std::size_t rows_of(const stage& s, const graph_node& space) const {
        if (s.row_axis == no_axis) return 1;
        const id loop = s.bindings[s.row_axis];
        return loop == whole ? space.extents[s.row_axis] : bound_extent(loop);
    }

    constexpr id emit_product(id top, const core_choice& choice, destination out, const binding_list& bindings,
                              loop_stack stack) {
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
            if (choice.top_axes[a] != whole) s.bindings[index(choice.top_axes[a])] = bindings[a];
        open_loops(s, core, stack, top);

        binding_list top_bindings = all_whole;
        for (std::size_t a = 0; a < g.rank; ++a)
            if (choice.top_axes[a] != whole) top_bindings[a] = s.bindings[index(choice.top_axes[a])];

        const id left = core.operands[0], right = core.operands[1];
        const graph_node& l = at(left);
        const graph_node& r = at(right);
        const matrix b = acquire_right(s, right, operand_bindings(core, r, 1, s.bindings), stack);
        const std::size_t rows = rows_of(s, core), width = target.lanes(core.element_bytes);
        const bool unit_columns = b.strides[r.rank - 1u] == 1 || core.extents[s.column_axis] == 1;
        if (unit_columns && !(core.extents[s.column_axis] == 1 && b.strides[r.rank - 2u] == 1))
            s.lanes = lane_axis::columns;
        else
            s.lanes = rows * 2 > width && core.extents[s.column_axis] > 1 ? lane_axis::rows : lane_axis::depth;
        acquire_left(s, left, operand_bindings(core, l, 0, s.bindings), stack);
        s.support = s.left_factor != -1 ? support_of(s.left_factor) : id{-1};
        if (g.kind == op::masked && out.free && skip_outside) s.support = top;

        prepare(top, top_bindings, s, stack);
        finish_rows(s, g, out, top_bindings, stack);
        close_loops(stack, opened);
        return last_buffer;
    }

    /// Adds a stage whose rows or columns are in lanes. Where the destination wants the other order, it is computed
    /// into a buffer first and copied.
    constexpr void finish_rows(stage& s, const graph_node& top, const destination& out, const binding_list& top_bindings,
                               const loop_stack& stack) {
        std::size_t row = no_axis, column = no_axis;
        for (std::size_t a = 0; a < top.rank; ++a) {
            if (s.top_axes[a] == static_cast<std::int16_t>(s.row_axis)) row = a;
            if (s.top_axes[a] == static_cast<std::int16_t>(s.column_axis)) column = a;
        }
        const std::size_t lane = s.lanes == lane_axis::rows ? row : column;
        const bool direct = out.free || lane == no_axis || top.extents[lane] == 1 || out.strides[lane] == 1;
        if (direct && !out.free) {
            aim(s, out, -1);
            add_stage(s);
            last_buffer = -1;
            return;
        }
        const id buffer = add_buffer(s.top, buffer_role::values, top_bindings_of(top_bindings, stack, out), stack_scope(stack, out));
        const std::size_t innermost = lane != no_axis ? lane : row;
        lay_out(plan.buffers[index(buffer)], innermost, innermost == row ? column : row, s.lanes == lane_axis::rows);
        destination inner;
        inner.free = true;
        aim(s, inner, buffer);
        add_stage(s);
        last_buffer = buffer;
        if (!out.free) {
            emit_map(s.top, out, top_bindings, stack);
            last_buffer = -1;
        }
    }

    /// A buffer that outlives the stage's own loops holds all of what they run over.
    binding_list outer_bindings = all_whole;
    loop_stack outer_stack{};
    constexpr binding_list top_bindings_of(const binding_list& inner, const loop_stack&, const destination& out) const {
        return out.free ? outer_bindings : inner;
    }
    constexpr id stack_scope(const loop_stack& stack, const destination& out) const {
        return out.free ? outer_stack.innermost() : stack.innermost();
    }

    id last_buffer = -1;
    bool skip_outside = false;

    constexpr id emit_map(id top, destination out, const binding_list& bindings, loop_stack stack) {
        const std::size_t opened = stack.depth;
        const graph_node& g = at(top);
        stage s = new_stage(stage_kind::map);
        s.top = s.space = top;
        s.bindings = bindings;
        for (std::size_t a = 0; a < g.rank; ++a) s.top_axes[a] = static_cast<std::int16_t>(a);
        choose_map_axes(s, g, out);
        open_loops(s, g, stack, top);
        prepare(top, s.bindings, s, stack);
        if (out.free) {
            const bool rows_first = out.wanted == layout::rows_in_lanes;
            const id buffer = add_buffer(top, buffer_role::values, outer_bindings, outer_stack.innermost());
            lay_out(plan.buffers[index(buffer)], rows_first ? s.row_axis : s.column_axis != no_axis ? s.column_axis : s.row_axis,
                    rows_first ? s.column_axis : s.row_axis, rows_first);
            aim(s, out, buffer);
            s.lanes = rows_first ? lane_axis::rows : lane_axis::columns;
            last_buffer = buffer;
        } else {
            aim(s, out, -1);
            last_buffer = -1;
            s.lanes = s.row_axis != no_axis && (s.column_axis == no_axis || (s.strides[s.row_axis] == 1 && s.strides[s.column_axis] != 1))
                          ? lane_axis::rows
                          : lane_axis::columns;
        }
        if (s.column_axis == no_axis && s.row_axis != no_axis) s.lanes = lane_axis::rows;
        add_stage(s);
        close_loops(stack, opened);
        return last_buffer;
    }

    constexpr void choose_map_axes(stage& s, const graph_node& g, const destination& out) const {
        for (std::size_t a = 0; a < g.rank; ++a)
            if (is_rows_loop(s.bindings[a])) s.row_axis = a;
        if (!out.free)
            for (std::size_t a = g.rank; a-- > 0;)
                if (s.column_axis == no_axis && s.bindings[a] == whole && out.strides[a] == 1 && g.extents[a] > 1) s.column_axis = a;
        for (std::size_t a = g.rank; a-- > 0;)
            if (s.column_axis == no_axis && s.bindings[a] == whole && g.extents[a] > 1) s.column_axis = a;
        for (std::size_t a = g.rank; a-- > 0;)
            if (s.row_axis == no_axis && a != s.column_axis && s.bindings[a] == whole && g.extents[a] > 1) s.row_axis = a;
    }

    // ------------------------------------------------------------------ operands of products

    struct matrix {
        axis_list strides{};
        bool affine = false;
    };

    /// Strides of `n` read through its names and index maps from memory: an array or a buffer that is recorded in
    /// the stage. Not affine where there is none.
    constexpr matrix read_strides(stage& s, id n, const binding_list& b, const loop_stack& stack) {
        n = resolve(n);
        const graph_node& g = at(n);
        if (g.kind == op::array) return {g.strides, true};
        if (const id found = find_buffer(n, buffer_role::values, b, stack); found != -1) {
            s.values[index(n)] = found;
            return {plan.buffers[index(found)].strides, true};
        }
        if (g.kind == op::softmax) {
            const id found = find_buffer(n, buffer_role::numerators, b, stack);
            if (found == -1) return {};
            s.values[index(n)] = found;
            s.factors[index(n)] = find_buffer(n, buffer_role::scales, b, stack);
            return {plan.buffers[index(found)].strides, true};
        }
        if (g.kind == op::store) return read_strides(s, g.operands[0], b, stack);
        if (!is_index_map(g.kind)) return {};
        const graph_node& o = at(g.operands[0]);
        const matrix below = read_strides(s, g.operands[0], operand_bindings(g, o, 0, b), stack);
        if (!below.affine) return {};
        std::array<bool, max_rank> fixed{};
        for (std::size_t a = 0; a < g.rank; ++a) fixed[a] = b[a] != whole && !is_rows_loop(b[a]);
        const stride_result up = lift_strides(g, o, below.strides, fixed);
        return {up.strides, up.affine};
    }

    /// Makes the computed value behind names and index maps, where there is one and it is not in memory yet. If the
    /// maps can be inverted, it is laid out so that `n` itself is row-major.
    constexpr void make_base(id n, const binding_list& b, const loop_stack& stack, bool as_factor) {
        std::array<id, 32> chain{};
        std::array<binding_list, 32> bound{};
        std::size_t depth = 0;
        binding_list here = b;
        id m = resolve(n);
        while (is_index_map(at(m).kind) || at(m).kind == op::store) {
            if (at(m).kind == op::store) emit_store(m, here, stack);
            chain[depth] = m;
            bound[depth++] = here;
            here = operand_bindings(at(m), at(at(m).operands[0]), 0, here);
            m = resolve(at(m).operands[0]);
        }
        const graph_node& g = at(m);
        if (g.kind == op::array || find_buffer(m, buffer_role::values, here, stack) != -1) return;
        if (g.kind == op::softmax && as_factor && g.variant == 0 && g.axis + 1u == g.rank && only_batch_maps(chain, depth)) {
            make_statistics(m, here, stack);
            return;
        }
        binding_list kept = demote(m, here);
        const loop_stack prefix = dependent_prefix(stack, g.rank, kept);
        if (find_buffer(m, buffer_role::values, kept, prefix) != -1) return;
        destination out;
        out.free = true;
        axis_list strides = row_major_view(at(chain[0]), bound[0], prefix, depth);
        bool invertible = depth != 0;
        for (std::size_t i = 0; i < depth && invertible; ++i) {
            const graph_node& map = at(chain[i]);
            if (map.kind == op::store) continue;
            binding_list outer = bound[i];
            for (std::size_t a = 0; a < map.rank; ++a)
                if (outer[a] != whole && !prefix.contains(outer[a])) outer[a] = whole;
            const stride_result below = lower_strides(map, at(map.operands[0]), strides, outer);
            invertible = below.affine;
            strides = below.strides;
        }
        if (invertible && needs_layout(g, strides)) {
            const id buffer = add_buffer(m, buffer_role::values, kept, prefix.innermost());
            plan_buffer& made = plan.buffers[index(buffer)];
            lay_out(made, g.rank - 1u, no_axis, false);
            for (std::size_t a = 0; a < g.rank; ++a)
                made.strides[a] = g.extents[a] == 1 || (kept[a] != whole && !is_rows_loop(kept[a])) ? 0 : strides[a];
            out.free = false;
            out.buffer = buffer;
            out.strides = made.strides;
            made.node = -1;  // not to be read while it is being computed
            emit(m, out, kept, prefix);
            plan.buffers[index(buffer)].node = m;
            return;
        }
        emit_free(m, out, kept, prefix);
    }

    /// Laying a value out for its reader costs nothing if its last axis stays contiguous.
    constexpr bool needs_layout(const graph_node& g, const axis_list& strides) const {
        return g.extents[g.rank - 1u] != 1 && strides[g.rank - 1u] == 1;
    }

    constexpr bool only_batch_maps(const std::array<id, 32>& chain, std::size_t depth) const {
        for (std::size_t i = 0; i < depth; ++i) {
            const graph_node& map = at(chain[i]);
            if (map.kind == op::store) continue;
            const graph_node& o = at(map.operands[0]);
            const binding_list from = carried_axes(map, o, 0);
            if (from[o.rank - 1u] != static_cast<std::int16_t>(map.rank - 1)) return false;
            if (o.rank < 2 || map.rank < 2 || from[o.rank - 2u] != static_cast<std::int16_t>(map.rank - 2)) return false;
        }
        return true;
    }

    /// Row-major strides of the part of a node that one pass of the loops around it holds.
    constexpr axis_list row_major_view(const graph_node& g, const binding_list& b, const loop_stack& prefix, std::size_t depth) const {
        axis_list strides{};
        if (depth == 0) return strides;
        std::ptrdiff_t step = 1;
        for (std::size_t a = g.rank; a-- > 0;) {
            std::size_t extent = g.extents[a];
            if (b[a] != whole && prefix.contains(b[a]) && bound_extent(b[a]) < extent) extent = bound_extent(b[a]);
            strides[a] = step;
            step *= static_cast<std::ptrdiff_t>(extent);
        }
        return strides;
    }

    constexpr id emit_free(id n, destination out, const binding_list& b, const loop_stack& stack) {
        const binding_list saved_bindings = outer_bindings;
        const loop_stack saved_stack = outer_stack;
        const bool saved_skip = skip_outside;
        if (!skip_next) skip_outside = false;
        skip_next = false;
        outer_bindings = b;
        outer_stack = stack;
        out.free = true;
        const id buffer = emit(n, out, b, stack);
        outer_bindings = saved_bindings;
        outer_stack = saved_stack;
        skip_outside = saved_skip;
        return buffer;
    }
    bool skip_next = false;

    constexpr matrix acquire_right(stage& s, id n, const binding_list& b, const loop_stack& stack) {
        make_base(n, b, stack, false);
        matrix m = read_strides(s, n, b, stack);
        const graph_node& g = at(n);
        const auto rows = m.strides[g.rank - 2u], columns = m.strides[g.rank - 1u];
        if (m.affine && (columns == 1 || rows == 1 || g.extents[g.rank - 1u] == 1)) return m;
        return copy_of(s, n, b, stack, layout::columns_in_lanes);
    }

    constexpr void acquire_left(stage& s, id n, const binding_list& b, const loop_stack& stack) {
        make_base(n, b, stack, true);
        const matrix m = read_strides(s, n, b, stack);
        const graph_node& g = at(n);
        bool good = m.affine;
        if (s.lanes == lane_axis::rows) good = good && m.strides[g.rank - 2u] == 1;
        if (s.lanes == lane_axis::depth) good = good && (m.strides[g.rank - 1u] == 1 || g.extents[g.rank - 1u] == 1);
        const id source = base_of(n);
        if (good) {
            if (at(source).kind == op::softmax && s.values[index(source)] != -1 && s.factors[index(source)] != -1)
                s.left_factor = source;
            return;
        }
        if (at(source).kind == op::softmax) mark_filled(s.values[index(source)]);
        copy_of(s, n, b, stack, s.lanes == lane_axis::rows ? layout::rows_in_lanes : layout::columns_in_lanes);
    }

    /// A copy of `n` in the layout that the stage wants.
    constexpr matrix copy_of(stage& s, id n, const binding_list& bindings, const loop_stack& stack, layout wanted) {
        n = resolve(n);
        const graph_node& g = at(n);
        binding_list b = bindings;
        const loop_stack prefix = dependent_prefix(stack, g.rank, b);
        id buffer = find_buffer(n, buffer_role::values, b, prefix, wanted, g.rank - 2u);
        if (buffer == -1 || (wanted == layout::columns_in_lanes && plan.buffers[index(buffer)].strides[g.rank - 1u] != 1)) {
            destination out;
            out.wanted = wanted;
            const binding_list saved_bindings = outer_bindings;
            const loop_stack saved_stack = outer_stack;
            outer_bindings = b;
            outer_stack = prefix;
            out.free = true;
            buffer = emit_matrix_copy(n, out, b, prefix);
            outer_bindings = saved_bindings;
            outer_stack = saved_stack;
        }
        s.values[index(n)] = buffer;
        return {plan.buffers[index(buffer)].strides, true};
    }

    constexpr id emit_matrix_copy(id n, destination out, const binding_list& b, loop_stack stack) {
        const std::size_t opened = stack.depth;
        const graph_node& g = at(n);
        stage s = new_stage(stage_kind::map);
        s.top = s.space = n;
        s.bindings = b;
        for (std::size_t a = 0; a < g.rank; ++a) s.top_axes[a] = static_cast<std::int16_t>(a);
        s.row_axis = g.rank - 2u;
        s.column_axis = g.rank - 1u;
        open_loops(s, g, stack, n);
        prepare(n, s.bindings, s, stack);
        const bool rows_first = out.wanted == layout::rows_in_lanes;
        const id buffer = add_buffer(n, buffer_role::values, outer_bindings, outer_stack.innermost());
        lay_out(plan.buffers[index(buffer)], rows_first ? s.row_axis : s.column_axis, rows_first ? s.column_axis : s.row_axis, rows_first);
        s.lanes = rows_first ? lane_axis::rows : lane_axis::columns;
        aim(s, out, buffer);
        add_stage(s);
        close_loops(stack, opened);
        return buffer;
    }

    // ------------------------------------------------------------------ what a stage reads

    /// Makes what `n` reads from memory inside the stage, and records where it is.
    constexpr void prepare(id n, const binding_list& b, stage& s, const loop_stack& stack) {
        const graph_node& g = at(n);
        if (n == s.core && s.kind == stage_kind::product) return;
        if (g.kind == op::let) return prepare(g.same_as, b, s, stack);
        if (g.kind == op::let_value) {
            const id value = resolve(n);
            if (at(value).uses > 1 && is_costly(value) && !is_row_statistic(at(value).kind)) return prepare_made(value, b, s, stack);
            return prepare(value, b, s, stack);
        }
        if (g.kind == op::array || g.kind == op::scalar || g.kind == op::index || g.kind == op::mask) return;
        if (s.values[index(n)] != -1) return;
        if (g.kind == op::store) {
            emit_store(n, b, stack);
            return prepare(g.operands[0], b, s, stack);
        }
        if (is_row_statistic(g.kind)) return prepare_statistics(n, b, s, stack);
        if (const id found = find_buffer(n, buffer_role::values, b, stack); found != -1) {
            s.values[index(n)] = found;
            return;
        }
        if (g.kind == op::matmul || g.kind == op::concat) return prepare_made(n, b, s, stack);
        if (g.kind == op::reshape && at(base_of(n)).kind != op::array && !carries_all(g, at(g.operands[0]))) {
            make_base(n, b, stack, false);
        }
        for (std::size_t i = 0; i < g.operand_count; ++i)
            prepare(g.operands[i], operand_bindings(g, at(g.operands[i]), i, b), s, stack);
    }
    constexpr bool carries_all(const graph_node& g, const graph_node& operand) const {
        const binding_list from = carried_axes(g, operand, 0);
        for (std::size_t a = 0; a < operand.rank; ++a)
            if (operand.extents[a] != 1 && from[a] == whole) return false;
        return true;
    }

    constexpr void prepare_made(id n, const binding_list& bindings, stage& s, const loop_stack& stack) {
        binding_list b = demote(n, bindings);
        const loop_stack prefix = dependent_prefix(stack, at(n).rank, b);
        id buffer = find_buffer(n, buffer_role::values, b, prefix);
        if (buffer == -1) buffer = emit_free(n, destination{}, b, prefix);
        s.values[index(n)] = buffer;
    }

    constexpr void mark_filled(id numerators) {
        for (std::size_t i = 0; i < plan.stage_count; ++i)
            if (plan.stages[i].kind == stage_kind::softmax && plan.stages[i].buffer == numerators) plan.stages[i].fill_outside = true;
    }

    constexpr void prepare_statistics(id n, const binding_list& b, stage& s, const loop_stack& stack) {
        const graph_node& g = at(n);
        const statistics made = make_statistics(n, b, stack);
        s.values[index(n)] = made.values;
        s.factors[index(n)] = made.factors;
        if (g.kind == op::softmax && g.variant == 0) mark_filled(made.values);
        if (g.kind == op::standardize || (g.kind == op::softmax && g.variant != 0))
            prepare(g.operands[0], b, s, stack);
    }
    constexpr void emit_store(id n, const binding_list& bindings, const loop_stack& stack) {
        for (std::size_t i = 0; i < plan.stage_count; ++i)
            if (plan.stages[i].store == n) return;
        if (pending_store == n) return;
        const id saved = pending_store;
        pending_store = n;
        const id value = at(n).operands[0];
        binding_list b = bindings;
        const loop_stack prefix = dependent_prefix(stack, at(n).rank, b);
        make_base(value, b, prefix, true);
        destination out;
        out.store = n;
        out.strides = at(n).strides;
        emit_map(value, out, b, prefix);
        pending_store = saved;
    }
    id pending_store = -1;

    // ------------------------------------------------------------------ rows

    struct statistics {
        id values = -1, factors = -1;
    };

    /// The masked node whose kept pairs are the only elements of a softmax that are not zero.
    constexpr id support_of(id softmax) const {
        id n = resolve(at(softmax).operands[0]);
        while (at(n).kind == op::store) n = resolve(at(n).operands[0]);
        return at(n).kind == op::masked && at(softmax).axis + 1u == at(softmax).rank ? n : id{-1};
    }

    constexpr statistics make_statistics(id n, const binding_list& bindings, const loop_stack& outer) {
        const graph_node& g = at(n);
        const id x = g.operands[0];
        const graph_node& operand = at(x);
        const buffer_role first = g.kind == op::softmax      ? buffer_role::numerators
                                  : g.kind == op::standardize ? buffer_role::means
                                                              : buffer_role::values;
        const buffer_role second = g.kind == op::standardize ? buffer_role::deviations : buffer_role::scales;
        const bool has_values = !(g.kind == op::softmax && g.variant != 0);
        binding_list kept = demote(n, bindings);
        const loop_stack prefix = dependent_prefix(outer, g.rank, kept);
        {
            statistics found;
            if (has_values) found.values = find_buffer(n, first, kept, prefix);
            if (g.kind != op::reduce) found.factors = find_buffer(n, second, kept, prefix);
            if (found.values != -1 || found.factors != -1) return found;
        }
        stage s = new_stage(g.kind == op::softmax ? stage_kind::softmax : g.kind == op::standardize ? stage_kind::standardize : stage_kind::reduce);
        s.top = s.space = x;
        s.core = n;
        s.column_axis = g.axis;
        const binding_list of_operand = operand_bindings(g, operand, 0, kept);
        s.bindings = of_operand;
        for (std::size_t a = 0; a < operand.rank; ++a) s.top_axes[a] = static_cast<std::int16_t>(a);
        for (std::size_t a = 0; a < operand.rank; ++a)
            if (a != g.axis && is_rows_loop(s.bindings[a])) s.row_axis = a;
        for (std::size_t a = operand.rank; a-- > 0;)
            if (s.row_axis == no_axis && a != g.axis && s.bindings[a] == whole && operand.extents[a] > 1) s.row_axis = a;
        loop_stack stack = prefix;
        open_loops(s, operand, stack, n);

        // The operand is read more than once, so a product or a costly function in it is computed first.
        s.support = g.kind == op::softmax ? support_of(n) : id{-1};
        const id value = resolve(x);
        const bool reread = g.kind != op::reduce;
        if (contains_product(x) || (reread && is_costly(x) && at(value).kind != op::store)) make_input(x, s, stack, g);
        prepare(x, s.bindings, s, stack);
        s.lanes = vote(s, x);

        statistics made;
        if (g.kind == op::softmax && has_values) {
            const id input = s.values[index(value)];
            const bool in_place = input != -1 && at(value).uses == 1 && plan.buffers[index(input)].scope == stack.innermost() &&
                                  plan.buffers[index(input)].role == buffer_role::values && stack.depth == prefix.depth;
            made.values = add_buffer(n, first, kept, prefix.innermost());
            plan_buffer& b = plan.buffers[index(made.values)];
            if (in_place) {
                b.strides = plan.buffers[index(input)].strides;
                b.bytes = plan.buffers[index(input)].bytes;
                b.storage = plan.buffers[index(input)].storage;
            } else if (s.lanes == lane_axis::rows) {
                lay_out(b, s.row_axis, s.column_axis, true);
            } else {
                lay_out(b, s.column_axis, s.row_axis, true);
            }
            s.strides = b.strides;
        }
        if (g.kind == op::reduce) {
            made.values = add_row_buffer(n, first, kept, prefix, g, s);
            s.strides = plan.buffers[index(made.values)].strides;
        } else {
            if (g.kind == op::standardize && g.variant == 0) made.values = add_row_buffer(n, first, kept, prefix, g, s);
            made.factors = add_row_buffer(n, second, kept, prefix, g, s);
        }
        s.buffer = made.values;
        s.second_buffer = made.factors;
        add_stage(s);
        close_loops(stack, prefix.depth);
        return made;
    }

    /// One number for each row: the row axis is innermost, the column axis holds nothing.
    constexpr id add_row_buffer(id n, buffer_role role, const binding_list& b, const loop_stack& prefix, const graph_node& g, const stage& s) {
        const id index_ = add_buffer(n, role, b, prefix.innermost());
        plan_buffer& buffer = plan.buffers[index(index_)];
        std::size_t row = s.row_axis;
        if (g.kind == op::reduce && row != no_axis && g.rank < at(s.space).rank && row > g.axis) --row;
        graph_node rows = g;
        if (g.kind != op::reduce) rows.extents[g.axis] = 1;
        lay_out_rows(buffer, rows, row);
        return index_;
    }
    constexpr void lay_out_rows(plan_buffer& b, const graph_node& rows, std::size_t row) const {
        std::ptrdiff_t step = 1;
        const std::size_t w = target.lanes(rows.element_bytes);
        const auto place = [&](std::size_t a) {
            std::size_t extent = rows.extents[a];
            if (b.bindings[a] != whole) extent = bound_extent(b.bindings[a]) < extent ? bound_extent(b.bindings[a]) : extent;
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

    /// The operand of a row statistic, computed into a buffer; outside the mask's kept pairs it may stay unwritten.
    constexpr void make_input(id x, stage& s, const loop_stack& stack, const graph_node& g) {
        const id value = resolve(x);
        if (at(value).kind == op::store) return;
        binding_list b = demote(value, s.bindings);
        const loop_stack prefix = dependent_prefix(stack, at(value).rank, b);
        if (find_buffer(value, buffer_role::values, b, prefix) != -1) return;
        if (is_row_statistic(at(value).kind)) return;
        if (at(base_of(value)).kind == op::array) return;
        if (g.kind == op::softmax && s.support != -1 && s.support == value && at(value).uses == 1) {
            skip_next = true;
            skip_outside = true;
        }
        emit_free(value, destination{}, b, prefix);
        skip_outside = false;
    }

    /// Lanes run along the axis on which most of what the stage reads is contiguous.
    constexpr lane_axis vote(const stage& s, id x) const {
        std::ptrdiff_t balance = 0;
        const graph_node& g = at(x);
        binding_list identity = all_whole;
        for (std::size_t a = 0; a < g.rank; ++a) identity[a] = static_cast<std::int16_t>(a);
        count_votes(s, x, identity, balance);
        if (s.row_axis == no_axis) return lane_axis::columns;
        if (balance == 0) return g.extents[s.column_axis] == 1 ? lane_axis::rows : lane_axis::columns;
        return balance > 0 ? lane_axis::rows : lane_axis::columns;
    }
    constexpr void count_votes(const stage& s, id n, const binding_list& from, std::ptrdiff_t& balance) const {
        n = resolve(n);
        const graph_node& g = at(n);
        axis_list strides = g.strides;
        const bool buffered = s.values[index(n)] != -1;
        if (buffered) strides = plan.buffers[index(s.values[index(n)])].strides;
        if (g.kind == op::array || buffered) {
            for (std::size_t a = 0; a < g.rank; ++a) {
                if (strides[a] != 1 || from[a] == whole || g.extents[a] == 1) continue;
                const auto weight = static_cast<std::ptrdiff_t>(g.size());
                if (from[a] == static_cast<std::int16_t>(s.row_axis)) balance += weight;
                if (from[a] == static_cast<std::int16_t>(s.column_axis)) balance -= weight;
            }
            return;
        }
        for (std::size_t i = 0; i < g.operand_count; ++i)
            count_votes(s, g.operands[i], operand_bindings(g, at(g.operands[i]), i, from), balance);
    }
};

}  // namespace ashlar::detail
