// SPDX-License-Identifier: BSL-1.0
// A program under construction: loops that steps share, buffers with their layouts, and items at their places.
#pragma once

#include <ashlar/kernel/machine.hpp>
#include <ashlar/plan/build/program.hpp>
#include <ashlar/plan/choose/tile_rows.hpp>

namespace ashlar::inline v0_1::detail {

/// The program under construction: its nodes, loops, buffers and items, and the planner's queries on them.
struct program_builder {

    struct loop_stack {
        loop_index loop[24]{};
        std::size_t depth = 0;

        constexpr loop_index innermost() const { return innermost_of(depth); }
        /// For the first `count` loops.
        constexpr loop_index innermost_of(std::size_t count) const { return count == 0 ? no_loop : loop[count - 1]; }
        constexpr bool contains(loop_index l) const {
            for (std::size_t i = 0; i < depth; ++i)
                if (loop[i] == l) return true;
            return false;
        }
        constexpr void push(loop_index l) { loop[depth++] = l; }
    };

    enum class layout : std::uint8_t { any, rows_in_lanes, columns_in_lanes };

    /// Where a stage writes: the destination, the caller's memory of a store, or a buffer. The layout of a buffer is
    /// best for the stage (`free`), or for its reader and for the loops around the stage's own.
    struct destination {
        buffer_index buffer = no_buffer;
        node_index store = no_node;
        bool free = false;
        bool only_support = false;  // free: nobody reads what a mask on top does not keep
        layout wanted = layout::any;
        axis_list strides{};
        std::ptrdiff_t origin = 0;
    };

    const graph_node* nodes;
    const machine& target;
    program& plan;
    std::size_t tile_rows;

    constexpr const graph_node& at(node_index n) const { return nodes[n]; }

    /// Skips nodes that only name their operand.
    constexpr node_index resolve(node_index n) const {
        while (at(n).kind == node_kind::let || at(n).kind == node_kind::let_value) n = at(n).same_as;
        return n;
    }

    /// Skips everything that does not compute: names, stores and index maps.
    constexpr node_index base_of(node_index n) const {
        for (;;) {
            n = resolve(n);
            if (is_index_map(at(n).kind) || at(n).kind == node_kind::store)
                n = at(n).operands[0];
            else
                return n;
        }
    }

    constexpr bool is_row_statistic(node_kind kind) const {
        return kind == node_kind::softmax || kind == node_kind::standardize || kind == node_kind::reduce;
    }

    /// Whether a stage computes a node into memory before another one reads it.
    constexpr bool is_made_first(node_kind kind) const {
        return kind == node_kind::matmul || kind == node_kind::concat || kind == node_kind::matrix;
    }

    /// Whether a second evaluation of a node would repeat a product, a row statistic or more than a little arithmetic.
    constexpr bool is_costly(node_index n) const {
        n = resolve(n);
        const graph_node& g = at(n);
        if (is_made_first(g.kind) || is_row_statistic(g.kind)) return true;
        if (g.kind == node_kind::map && g.flops != 0) return true;
        for (std::size_t i = 0; i < g.operand_count; ++i)
            if (is_costly(g.operands[i])) return true;
        return false;
    }
    constexpr bool has_costly_function(node_index n) const {
        n = resolve(n);
        if (at(n).costly) return true;
        for (std::size_t i = 0; i < at(n).operand_count; ++i)
            if (has_costly_function(at(n).operands[i])) return true;
        return false;
    }
    constexpr bool contains_product(node_index n) const {
        n = resolve(n);
        const graph_node& g = at(n);
        if (is_made_first(g.kind)) return true;
        for (std::size_t i = 0; i < g.operand_count; ++i)
            if (contains_product(g.operands[i])) return true;
        return false;
    }
    constexpr bool reaches(node_index from, node_index to) const {
        from = resolve(from);
        if (from == to) return true;
        for (std::size_t i = 0; i < at(from).operand_count; ++i)
            if (reaches(at(from).operands[i], to)) return true;
        return false;
    }

    /// The buffers from which a stage reads a node.
    constexpr node_read& read_of(const plan_stage& s, node_index n) const { return plan.read_of(s, n); }

    // ---------------------------------------------------------------- buffers

    constexpr std::size_t bound_extent(loop_index loop) const {
        const plan_loop& l = plan.loops[loop];
        return l.rows || l.columns ? l.tile : 1;
    }

    /// Strides of a buffer for a node: the `lane` axis is innermost (padded to full registers), then come the `last` of
    /// the other axes in order.
    constexpr void lay_out(plan_buffer& b, std::size_t lane, std::size_t next, bool padded) const {
        const graph_node& n = at(b.node);
        std::ptrdiff_t step = 1;
        const auto place = [&](std::size_t a) {
            std::size_t extent = n.extents[a];
            if (b.bindings[a] != whole_axis)
                extent = bound_extent(b.bindings[a]) < extent ? bound_extent(b.bindings[a]) : extent;
            if (extent == 1 && a != lane) {
                b.strides[a] = n.extents[a] == 1 || !plan.loops[b.bindings[a]].rows ? 0 : step;
                return;
            }
            b.strides[a] = step;
            if (a == lane && padded) {
                const std::size_t w = target.lanes(n.element_bytes);
                extent = (extent + w - 1) / w * w;
            }
            step *= static_cast<std::ptrdiff_t>(extent);
        };
        if (lane < n.rank) place(lane);
        if (next < n.rank && next != lane) place(next);
        for (std::size_t a = n.rank; a-- > 0;)
            if (a != lane && a != next) place(a);
        b.bytes = static_cast<std::size_t>(step) * n.element_bytes;
        b.padded = padded;
    }

    constexpr buffer_index add_buffer(node_index node, buffer_role role, const binding_list& bindings,
                                      loop_index scope) {
        const auto index = index_at<buffer_index>(plan.buffer_count++);
        plan_buffer& b = plan.buffers[index] = plan_buffer{};
        b.node = node;
        b.role = role;
        b.bindings = bindings;
        b.scope = scope;
        b.storage = index;
        return index;
    }

    /// Whether a buffer has all of these entries of its node.
    static constexpr bool holds(const plan_buffer& b, const binding_list& entries, std::size_t rank) {
        for (std::size_t a = 0; a < rank; ++a)
            if (b.bindings[a] != whole_axis && b.bindings[a] != entries[a]) return false;
        return true;
    }

    constexpr buffer_index find_buffer(node_index node, buffer_role role, const binding_list& bindings,
                                       const loop_stack& stack, layout wanted = layout::any,
                                       std::size_t row = no_axis) const {
        for (std::size_t i = plan.buffer_count; i-- > 0;) {
            const plan_buffer& b = plan.buffers[i];
            if (b.node != node || b.role != role || (b.scope != no_loop && !stack.contains(b.scope))) continue;
            if (wanted == layout::rows_in_lanes && b.strides[row] != 1) continue;
            if (holds(b, bindings, at(node).rank)) return index_at<buffer_index>(i);
        }
        return no_buffer;
    }

    // ---------------------------------------------------------------- loops

    constexpr loop_index open_loop(loop_stack& stack, std::size_t extent, bool rows, node_index inside) {
        const std::size_t tile = rows ? (extent < tile_rows ? extent : tile_rows) : 1;
        const loop_index parent = stack.innermost();
        if (const loop_index again = reusable_loop(parent, extent, tile, rows, inside); again != no_loop) {
            plan.loops[again].is_closed = false;
            stack.push(again);
            return again;
        }
        const auto index = index_at<loop_index>(plan.loop_count++);
        plan.loops[index] = {parent, extent, tile, rows};
        add_item({parent, index});
        stack.push(index);
        return index;
    }

    constexpr loop_index open_column_loop(loop_stack& stack, std::size_t extent, std::size_t tile) {
        const auto index = index_at<loop_index>(plan.loop_count++);
        const loop_index parent = stack.innermost();
        plan.loops[index] = {parent, extent, tile, false, true};
        add_item({parent, index});
        stack.push(index);
        return index;
    }

    /// The place of a new item of a parent: before the loops that are still open there, otherwise at the end. The loop
    /// opened last comes first, because the others wait for it.
    constexpr std::size_t place_in(loop_index parent) const {
        for (std::size_t i = 0; i < plan.item_count; ++i) {
            const plan_item& item = plan.items[i];
            if (item.parent == parent && item.is_loop() && !plan.loops[item.loop].is_closed) return i;
        }
        return plan.item_count;
    }
    constexpr void add_item(const plan_item& item) {
        const std::size_t place = place_in(item.parent);
        for (std::size_t i = plan.item_count++; i > place; --i) plan.items[i] = plan.items[i - 1];
        plan.items[place] = item;
    }
    constexpr stage_index add_stage(const plan_stage& stage) {
        const auto index = index_at<stage_index>(plan.stage_count++);
        plan.stages[index] = stage;
        add_item({.parent = stage.loop, .stage = index});
        return index;
    }

    /// Steps that do not depend on each other and run over the same rows share one loop: the last item of its parent,
    /// with the same extents, finished, and without results that `inside` reads whole.
    constexpr loop_index reusable_loop(loop_index parent, std::size_t extent, std::size_t tile, bool rows,
                                       node_index inside) const {
        for (std::size_t i = place_in(parent); i-- > 0;) {
            const plan_item& item = plan.items[i];
            if (item.parent != parent) continue;
            if (!item.is_loop() || !plan.loops[item.loop].is_closed) return no_loop;
            const plan_loop& l = plan.loops[item.loop];
            if (l.extent != extent || l.tile != tile || l.rows != rows || l.columns) return no_loop;
            for (std::size_t s = 0; s < plan.stage_count; ++s) {
                const plan_stage& stage = plan.stages[s];
                if (!is_loop_inside(plan, stage.loop, item.loop)) continue;
                if (stage.buffer == no_buffer) return no_loop;
                const plan_buffer& b = plan.buffers[stage.buffer];
                if (!is_loop_inside(plan, b.scope, item.loop) && reaches(inside, b.node)) return no_loop;
            }
            return item.loop;
        }
        return no_loop;
    }

    constexpr void close_loops(const loop_stack& stack, std::size_t from) {
        for (std::size_t i = from; i < stack.depth; ++i) plan.loops[stack.loop[i]].is_closed = true;
    }
};

}  // namespace ashlar::detail
