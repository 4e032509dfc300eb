// SPDX-License-Identifier: BSL-1.0
// The program, its nodes and the machine, with the queries that passes share.
#pragma once

#include <ashlar/kernel/machine.hpp>
#include <ashlar/plan/build/node_memory.hpp>

namespace ashlar::inline v0_1::detail {

struct plan_context {
    using stage = plan_stage;

    program& plan;
    const graph_node* nodes;
    const machine& target;

    constexpr const graph_node& at(node_index n) const { return nodes[n]; }

    /// Skips nodes that only name their operand.
    constexpr node_index resolve(node_index n) const {
        while (at(n).kind == node_kind::let || at(n).kind == node_kind::let_value) n = at(n).same_as;
        return n;
    }
    /// Whether two nodes have the same element type, in memory too.
    constexpr bool same_elements(node_index a, node_index b) const {
        return at(a).scalar == at(b).scalar && at(a).element_bytes == at(b).element_bytes &&
               at(a).narrow == at(b).narrow;
    }

    /// The item after an item in the same loop; item_count if there is none.
    constexpr std::size_t next_item(std::size_t item) const {
        for (std::size_t i = item + 1; i < plan.item_count; ++i)
            if (plan.items[i].parent == plan.items[item].parent) return i;
        return plan.item_count;
    }
    /// The stage of an item; no_stage if the item is not a stage.
    constexpr stage_index stage_at(std::size_t item) const {
        return item < plan.item_count ? plan.items[item].stage : no_stage;
    }

    /// Calls f for every stage in a loop, in execution order.
    template <class Function>
    constexpr void each_stage(loop_index loop, const Function& f) const {
        for (std::size_t i = 0; i < plan.item_count; ++i) {
            const plan_item& item = plan.items[i];
            if (item.parent != loop) continue;
            if (item.is_loop()) {
                each_stage(item.loop, f);
            } else {
                for (const stage_index s : stages_of(plan, item).stages)
                    if (s != no_stage) f(s);
            }
        }
    }

    // -------------------------------------------------------------- extents

    /// Rows of a stage in a tile; 0 if it has no tile of this kind.
    constexpr std::size_t rows_of(const stage& s, std::size_t tile) const {
        const bool full = tile == full_tile;
        if (s.row_axis == no_axis) return full ? 1 : 0;
        const loop_index loop = s.bindings[s.row_axis];
        if (loop == whole_axis) return full ? at(s.space).extents[s.row_axis] : 0;
        const plan_loop& l = plan.loops[loop];
        if (!l.rows) return full ? 1 : 0;
        return full ? l.tile : l.last_rows();
    }

    /// Columns of a stage.
    constexpr std::size_t columns_of(const stage& s) const {
        if (s.column_axis == no_axis) return 1;
        const loop_index loop = s.bindings[s.column_axis];
        return loop != whole_axis && plan.loops[loop].columns ? plan.loops[loop].tile
                                                              : at(s.space).extents[s.column_axis];
    }

    /// Lanes of a stage, which are found once.
    constexpr std::size_t width_of(const stage& s) const { return s.width; }
    /// The number of elements of the widest type in a register.
    constexpr std::size_t find_width(const stage& s) const {
        if (s.kind == stage_kind::product) return target.lanes(at(s.core).element_bytes);
        std::size_t bytes = 4;
        for (const node_index n : {s.top, s.core})
            if (n != no_node && at(n).element_bytes > bytes) bytes = at(n).element_bytes;
        widen(s, s.top, bytes);
        return target.lanes(bytes);
    }

    // -------------------------------------------------------------- memory

    /// The buffers from which a stage reads a node.
    constexpr const node_read& read_of(const stage& s, node_index n) const { return plan.read_of(s, n); }

    /// The memory in which a stage finds the elements of nodes.
    constexpr node_memory memory_of(const stage& s) const { return {nodes, plan.reads + s.first_read, plan.buffers}; }

    /// The stride in the written memory along an axis of the space.
    constexpr std::ptrdiff_t written_stride(const stage& s, std::size_t axis) const {
        for (std::size_t t = 0; t < at(s.top).rank; ++t)
            if (axis != no_axis && s.top_axes[t] == axis) return s.strides[t];
        return 0;
    }
    /// Whether a stage reads a buffer.
    constexpr bool reads(const stage& s, buffer_index buffer) const {
        if (s.kind != stage_kind::product && s.maxima == buffer) return true;
        const node_read* from = plan.reads + s.first_read;
        for (std::size_t n = 0; n < plan.node_count; ++n)
            if (from[n].values == buffer || from[n].factors == buffer) return true;
        return false;
    }
    /// Calls f for every buffer that a stage reads or writes.
    template <class Function>
    constexpr void each_buffer(const stage& s, Function f) const {
        for (const buffer_index b :
             {s.buffer, s.second_buffer, s.maxima, s.table, s.running_maxima, s.corrections, s.waiting})
            if (b != no_buffer) f(b);
        const node_read* from = plan.reads + s.first_read;
        for (std::size_t n = 0; n < plan.node_count; ++n) {
            if (from[n].values != no_buffer) f(from[n].values);
            if (from[n].factors != no_buffer) f(from[n].factors);
        }
    }

private:
    constexpr void widen(const stage& s, node_index n, std::size_t& bytes) const {
        const graph_node& g = at(n);
        if (g.scalar == scalar_kind::floating && g.element_bytes > bytes && g.rank > 0) bytes = g.element_bytes;
        if (read_of(s, n).values != no_buffer || n == s.core) return;
        if (g.kind == node_kind::let_value) return widen(s, g.same_as, bytes);
        for (std::size_t i = 0; i < g.operand_count; ++i) widen(s, g.operands[i], bytes);
    }
};

}  // namespace ashlar::detail
