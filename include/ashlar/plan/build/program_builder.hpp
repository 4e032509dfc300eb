// SPDX-License-Identifier: BSL-1.0
// A program under construction: loops that steps share, buffers with their layouts, and items at their places.
#pragma once

#include <ashlar/kernel/machine.hpp>
#include <ashlar/plan/build/program.hpp>
#include <ashlar/plan/choose/tile_rows.hpp>

namespace ashlar::detail {

/// The program under construction: its nodes, loops, buffers and items, and the questions the planner asks of them.
template <std::size_t Count>
struct program_builder {
    using id = std::int16_t;

    struct loop_stack {
        std::array<std::int16_t, 24> loop{};
        std::size_t depth = 0;

        constexpr std::int16_t innermost() const { return depth == 0 ? std::int16_t{-1} : loop[depth - 1]; }
        constexpr bool contains(std::int16_t l) const {
            for (std::size_t i = 0; i < depth; ++i)
                if (loop[i] == l) return true;
            return false;
        }
        constexpr void push(std::int16_t l) { loop[depth++] = l; }
    };

    enum class layout : std::uint8_t { any, rows_in_lanes, columns_in_lanes };

    /// Where a stage writes: the destination, caller memory of a store, or a buffer that is laid out as the stage
    /// likes best (`free`) or as its reader wants it.
    struct destination {
        id buffer = -1;
        id store = -1;
        bool free = false;
        layout wanted = layout::any;
        axis_list strides{};
        std::ptrdiff_t origin = 0;
    };

    const graph_node* nodes;
    machine target;
    program<Count> plan{};
    std::size_t tile_rows = tall_tile_rows;

    constexpr const graph_node& at(id n) const { return nodes[static_cast<std::size_t>(n)]; }

    /// Past the nodes that only give their operand a name.
    constexpr id resolve(id n) const {
        while (at(n).kind == node_kind::let || at(n).kind == node_kind::let_value) n = at(n).same_as;
        return n;
    }

    /// Past everything that does not compute: names, stores and index maps.
    constexpr id base_of(id n) const {
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

    /// Whether evaluating a node twice would repeat a product, a row statistic or more than a little arithmetic.
    constexpr bool is_costly(id n) const {
        n = resolve(n);
        const graph_node& g = at(n);
        if (g.kind == node_kind::matmul || g.kind == node_kind::concat || is_row_statistic(g.kind)) return true;
        if (g.kind == node_kind::map && g.flops != 0) return true;
        for (std::size_t i = 0; i < g.operand_count; ++i)
            if (is_costly(g.operands[i])) return true;
        return false;
    }
    constexpr bool has_costly_function(id n) const {
        n = resolve(n);
        if (at(n).costly) return true;
        for (std::size_t i = 0; i < at(n).operand_count; ++i)
            if (has_costly_function(at(n).operands[i])) return true;
        return false;
    }
    constexpr bool contains_product(id n) const {
        n = resolve(n);
        const graph_node& g = at(n);
        if (g.kind == node_kind::matmul || g.kind == node_kind::concat) return true;
        for (std::size_t i = 0; i < g.operand_count; ++i)
            if (contains_product(g.operands[i])) return true;
        return false;
    }
    constexpr bool reaches(id from, id to) const {
        from = resolve(from);
        if (from == to) return true;
        for (std::size_t i = 0; i < at(from).operand_count; ++i)
            if (reaches(at(from).operands[i], to)) return true;
        return false;
    }

    // ---------------------------------------------------------------- buffers

    constexpr std::size_t bound_extent(id loop) const {
        const plan_loop& l = plan.loops[static_cast<std::size_t>(loop)];
        return l.rows || l.columns ? l.tile : 1;
    }

    /// Strides of a buffer for a node whose `lane` axis is innermost (padded to full registers) and whose other axes
    /// are in order, `last` of them next.
    constexpr void lay_out(plan_buffer& b, std::size_t lane, std::size_t next, bool padded) const {
        const graph_node& n = at(b.node);
        std::ptrdiff_t step = 1;
        const auto place = [&](std::size_t a) {
            std::size_t extent = n.extents[a];
            if (b.bindings[a] != whole_axis)
                extent = bound_extent(b.bindings[a]) < extent ? bound_extent(b.bindings[a]) : extent;
            if (extent == 1 && a != lane) {
                b.strides[a] =
                    n.extents[a] == 1 || !plan.loops[static_cast<std::size_t>(b.bindings[a])].rows ? 0 : step;
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

    constexpr id add_buffer(id node, buffer_role role, const binding_list& bindings, id scope) {
        const auto index = static_cast<id>(plan.buffer_count++);
        plan_buffer& b = plan.buffers[static_cast<std::size_t>(index)];
        b.node = node;
        b.role = role;
        b.bindings = bindings;
        b.scope = scope;
        b.storage = index;
        return index;
    }

    constexpr id find_buffer(id node, buffer_role role, const binding_list& bindings, const loop_stack& stack,
                             layout wanted = layout::any, std::size_t row = no_axis) const {
        for (std::size_t i = plan.buffer_count; i-- > 0;) {
            const plan_buffer& b = plan.buffers[i];
            if (b.node != node || b.role != role || (b.scope != -1 && !stack.contains(b.scope))) continue;
            bool fits = true;
            for (std::size_t a = 0; a < at(node).rank; ++a)
                if (b.bindings[a] != whole_axis && b.bindings[a] != bindings[a]) fits = false;
            if (wanted == layout::rows_in_lanes && b.strides[row] != 1) fits = false;
            if (fits) return static_cast<id>(i);
        }
        return -1;
    }

    // ---------------------------------------------------------------- loops

    constexpr id open_loop(loop_stack& stack, std::size_t extent, bool rows, id inside) {
        const std::size_t tile = rows ? (extent < tile_rows ? extent : tile_rows) : 1;
        const id parent = stack.innermost();
        if (const id again = reusable_loop(parent, extent, tile, rows, inside); again != -1) {
            closed[static_cast<std::size_t>(again)] = false;
            stack.push(again);
            return again;
        }
        const auto index = static_cast<id>(plan.loop_count++);
        plan.loops[static_cast<std::size_t>(index)] = {parent, extent, tile, rows};
        add_item({parent, item_kind::loop, index});
        stack.push(index);
        return index;
    }

    constexpr id open_column_loop(loop_stack& stack, std::size_t extent, std::size_t tile) {
        const auto index = static_cast<id>(plan.loop_count++);
        const id parent = stack.innermost();
        plan.loops[static_cast<std::size_t>(index)] = {parent, extent, tile, false, true};
        add_item({parent, item_kind::loop, index});
        stack.push(index);
        return index;
    }

    /// The place of a new item of a parent: before the loops that are still open there, else at the end. The first of
    /// them is the one opened last, by what the others wait for.
    constexpr std::size_t place_in(id parent) const {
        for (std::size_t i = 0; i < plan.item_count; ++i) {
            const plan_item& item = plan.items[i];
            if (item.parent == parent && item.is_loop() && !closed[static_cast<std::size_t>(item.index)]) return i;
        }
        return plan.item_count;
    }
    constexpr void add_item(const plan_item& item) {
        const std::size_t place = place_in(item.parent);
        for (std::size_t i = plan.item_count++; i > place; --i) plan.items[i] = plan.items[i - 1];
        plan.items[place] = item;
    }
    constexpr id add_stage(const plan_stage<Count>& stage) {
        const auto index = static_cast<id>(plan.stage_count++);
        plan.stages[static_cast<std::size_t>(index)] = stage;
        add_item({stage.loop, item_kind::stage, index});
        return index;
    }

    /// Steps that need nothing of each other and run over the same rows share one loop: it is the last item of its
    /// parent, alike, finished, and makes nothing that `inside` reads whole.
    constexpr id reusable_loop(id parent, std::size_t extent, std::size_t tile, bool rows, id inside) const {
        for (std::size_t i = place_in(parent); i-- > 0;) {
            const plan_item& item = plan.items[i];
            if (item.parent != parent) continue;
            if (!item.is_loop() || !closed[static_cast<std::size_t>(item.index)]) return -1;
            const plan_loop& l = plan.loops[static_cast<std::size_t>(item.index)];
            if (l.extent != extent || l.tile != tile || l.rows != rows || l.columns) return -1;
            for (std::size_t s = 0; s < plan.stage_count; ++s) {
                const plan_stage<Count>& stage = plan.stages[s];
                if (!is_loop_inside(plan, stage.loop, item.index)) continue;
                if (stage.buffer == -1) return -1;
                const plan_buffer& b = plan.buffers[static_cast<std::size_t>(stage.buffer)];
                if (!is_loop_inside(plan, b.scope, item.index) && reaches(inside, b.node)) return -1;
            }
            return item.index;
        }
        return -1;
    }

    bool closed[program<Count>::capacity]{};

    constexpr void close_loops(const loop_stack& stack, std::size_t from) {
        for (std::size_t i = from; i < stack.depth; ++i) closed[static_cast<std::size_t>(stack.loop[i])] = true;
    }
};

}  // namespace ashlar::detail
