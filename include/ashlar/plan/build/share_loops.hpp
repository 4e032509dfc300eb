// SPDX-License-Identifier: BSL-1.0
// The loops whose turns several workers share.
#pragma once

#include <ashlar/kernel/machine.hpp>
#include <ashlar/plan/build/program.hpp>
#include <ashlar/plan/graph/graph.hpp>

namespace ashlar::detail {

/// Turns that a loop which needs no tiles has for workers to share: each reads the right operands once more.
inline constexpr std::size_t most_turns_for_workers = 32;
/// Rows that the last of these turns has at least.
inline constexpr std::size_t least_rows_at_end = 16;

/// Rows of its one tile, or of those that several workers share.
constexpr std::size_t rows_without_tiles(const plan_loop& loop, const machine& target) {
    if (target.worker_rows == 0 || loop.parent != no_loop) return loop.extent;
    if (target.worker_rows > loop.extent) return loop.extent;
    const std::size_t least = (loop.extent + most_turns_for_workers - 1) / most_turns_for_workers;
    std::size_t rows = (least + loop.tile - 1) / loop.tile * loop.tile;
    // A last tile of few rows would be computed in another way, and add in another order.
    while (rows < loop.extent && loop.extent % rows != 0 && loop.extent % rows < least_rows_at_end) rows += loop.tile;
    return rows < loop.extent ? rows : loop.extent;
}

/// Whether what a stage writes in one turn of a loop around it is written in no other one: it stays inside of the loop,
/// or has the loop's axis, and rows end where registers do, as what is behind the last one belongs to somebody else.
constexpr bool writes_apart(const program& plan, const graph_node* nodes, const machine& target,
                            const plan_stage& stage, loop_index loop) {
    const auto ends_at_registers = [&](std::size_t rows) {
        for (const node_index n : {stage.top, stage.core})
            if (n != no_node && rows % target.lanes(nodes[n].element_bytes) != 0) return false;
        return true;
    };
    const plan_loop& l = plan.loops[loop];
    if (l.rows && !ends_at_registers(l.tile)) return false;
    if (stage.buffer != no_buffer && is_loop_inside(plan, plan.buffers[stage.buffer].scope, loop)) return true;
    bool has_axis = false;
    for (std::size_t a = 0; a < nodes[stage.space].rank; ++a) has_axis = has_axis || stage.bindings[a] == loop;
    if (l.rows || stage.lanes != lane_axis::rows || stage.row_axis == no_axis) return has_axis;
    return has_axis && ends_at_registers(nodes[stage.space].extents[stage.row_axis]);
}

/// Whether workers may run turns of a loop beside each other: none reads what another one has left, and rows end where
/// registers of them do, as those behind the last row would be rows of somebody else.
constexpr bool may_be_shared(const program& plan, const graph_node* nodes, const machine& target, loop_index loop) {
    const plan_loop& l = plan.loops[loop];
    if (l.columns || l.extent <= l.tile) return false;
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        const plan_stage& stage = plan.stages[s];
        if (!is_loop_inside(plan, stage.loop, loop)) continue;
        if (stage.fold_first != no_axis && stage.second_buffer != no_buffer &&
            !is_loop_inside(plan, plan.buffers[stage.second_buffer].scope, loop))
            return false;
        if (!writes_apart(plan, nodes, target, stage, loop)) return false;
    }
    return true;
}

/// The only item of a loop, where that is a loop; no_loop if there is more to do in it.
constexpr loop_index only_loop_in(const program& plan, loop_index parent) {
    loop_index found = no_loop;
    for (std::size_t i = 0; i < plan.item_count; ++i) {
        if (plan.items[i].parent != parent) continue;
        if (found != no_loop || !plan.items[i].is_loop()) return no_loop;
        found = plan.items[i].loop;
    }
    return found;
}

/// Outermost loops are shared, and so are the loops over entries and rows right inside of them.
constexpr void share_loops(program& plan, const graph_node* nodes, const machine& target) {
    for (loop_index l{}; l < plan.loop_count; ++l)
        if (plan.loops[l].parent == no_loop)
            for (loop_index inner = l; inner != no_loop && may_be_shared(plan, nodes, target, inner);
                 inner = only_loop_in(plan, inner)) {
                plan.loops[inner].is_shared = true;
                if (plan.loops[inner].rows) break;
            }
}

}  // namespace ashlar::detail
