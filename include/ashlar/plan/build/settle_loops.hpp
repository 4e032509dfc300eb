// SPDX-License-Identifier: BSL-1.0
// The end of the construction: loops that need no tiles get a single one, and what only tiles need is removed.
#pragma once

#include <cstdint>

#include <ashlar/kernel/machine.hpp>
#include <ashlar/plan/build/program.hpp>
#include <ashlar/plan/build/share_loops.hpp>
#include <ashlar/plan/choose/tile_rows.hpp>
#include <ashlar/plan/graph/graph.hpp>

namespace ashlar::inline v0_1::detail {

/// A loop whose stages pass nothing to each other gains nothing from tiles: the kernels have their own blocks.
constexpr bool needs_no_tiles(const program& plan, loop_index loop) {
    for (std::size_t b = 0; b < plan.buffer_count; ++b)
        if (is_loop_inside(plan, plan.buffers[b].scope, loop)) return false;
    for (std::size_t s = 0; s < plan.stage_count; ++s)
        if (plan.stages[s].loop != loop && is_loop_inside(plan, plan.stages[s].loop, loop)) return false;
    for (std::size_t s = 0; s < plan.stage_count; ++s)
        if (plan.stages[s].loop == loop && plan.stages[s].lanes == lane_axis::rows) return false;
    return true;
}

/// Whether a stage folds its axes in several tiles, or entries of loops.
constexpr bool is_folded_in_parts(const program& plan, const plan_stage& stage) {
    for (std::size_t a = stage.fold_first; a < stage.fold_last; ++a)
        if (stage.bindings[a] != whole_axis)
            if (const plan_loop& l = plan.loops[stage.bindings[a]]; l.extent > l.tile) return true;
    return false;
}

/// One row in 16 may be computed twice, in programs of at least this many stages: multi-head attention has 9, a layer
/// of an encoder 15, one of Llama 25.
inline constexpr std::size_t rows_for_one_twice = 16, least_stages_for_rows_twice = 8;

/// Whether the last tile of a loop begins so early that it is full, and computes some rows again. A tile of another
/// height would need its own code in each stage, with almost the compile time and size of a full tile. With many stages
/// that is worth the time of a few rows. Rows computed twice have the same values if no stage adds to results of
/// earlier tiles. (Values that stages replace in place are computed in the same tile. If rows of the destination depend
/// on themselves, eval stages them.)
constexpr bool may_overlap(const program& plan, const graph_node* nodes, const machine& target, loop_index loop) {
    const plan_loop& l = plan.loops[loop];
    if (!l.rows || l.extent <= l.tile || l.extent % l.tile == 0) return false;
    if ((l.tile - l.extent % l.tile) * rows_for_one_twice > l.extent) return false;
    if (plan.stage_count < least_stages_for_rows_twice) return false;
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        const plan_stage& stage = plan.stages[s];
        if (!is_loop_inside(plan, stage.loop, loop)) continue;
        if (stage.fold_first != no_axis && stage.second_buffer != no_buffer) return false;
        // Registers that end after the tile would overwrite rows of the last tile, which runs first.
        const bool is_product = stage.kind == stage_kind::product;
        const std::size_t bytes = is_product ? nodes[stage.core].element_bytes : 4u;
        if (l.tile % target.lanes(bytes) != 0) return false;
    }
    return true;
}

/// How the tiles of a loop with a run-time end may finish.
enum class limited_tiles : std::uint8_t {
    parts,  // in a flat tile where no more than its rows are left
    tiles,  // as without limits
    none,   // nowhere: there are no limits
};

/// Whether tiles of a loop may have this many rows and begin anywhere: rows of stages are whole registers, and none
/// adds to results of earlier tiles.
constexpr bool may_have_rows(const program& plan, const graph_node* nodes, const machine& target, loop_index loop,
                             std::size_t rows) {
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        const plan_stage& stage = plan.stages[s];
        if (!is_loop_inside(plan, stage.loop, loop)) continue;
        if (stage.fold_first != no_axis && stage.second_buffer != no_buffer) return false;
        if (stage.loop == loop && stage.lanes != lane_axis::rows && needs_no_tiles(plan, loop)) continue;
        for (const node_index n : {stage.top, stage.core})
            if (n != no_node && rows % target.lanes(nodes[n].element_bytes) != 0) return false;
    }
    return true;
}

/// Chooses the tiles of a loop with a run-time end. If few rows remain, half a tile saves the time of the others. If
/// stages pass nothing to each other, tiles are flat from the start, and halves are eight rows. A tile that would end
/// after the last row begins earlier and computes some rows again, unless a single stage may be reading what it writes.
constexpr void settle_limited(program& plan, const graph_node* nodes, const machine& target, loop_index loop) {
    plan_loop& l = plan.loops[loop];
    if (needs_no_tiles(plan, loop) && l.tile > flat_tile_rows) l.tile = flat_tile_rows;
    const std::size_t half = needs_no_tiles(plan, loop) ? flat_tile_rows / 2 : flat_tile_rows;
    const bool halves = l.tile > half && may_have_rows(plan, nodes, target, loop, half);
    if (halves) l.part = half;
    const std::size_t rest = l.extent % l.tile;
    if (l.tile == l.extent || rest == 0 || rest == l.part) return;
    l.overlaps = plan.stage_count > 1 && may_have_rows(plan, nodes, target, loop, l.tile) && (halves || l.tile <= half);
    if (!l.overlaps) l.part = 0;
}

/// The tiles of a loop that needs none: all rows at once, except for workers that share it and for left operands that
/// are rounded to 8 bits.
constexpr std::size_t rows_of_one_stage_each(const program& plan, const graph_node* nodes, const machine& target,
                                             loop_index l) {
    const plan_loop& loop = plan.loops[l];
    const std::size_t rows = loop.is_split ? loop.extent : rows_without_tiles(loop, target),
                      rounded = rows_to_round_in(plan, nodes, target, l, rows);
    return rounded < rows ? near_equal_tiles(loop.extent, rounded) : rows;
}

constexpr void settle_loops(program& plan, const graph_node* nodes, const machine& target, bool in_parts = false) {
    for (loop_index l{}; l < plan.loop_count; ++l) {
        plan_loop& loop = plan.loops[l];
        const bool one_stage_each = loop.rows && needs_no_tiles(plan, l);
        loop.is_split = is_split_loop(plan, nodes, target, l, one_stage_each);
        if (one_stage_each && !loop.limits.stop()) loop.tile = rows_of_one_stage_each(plan, nodes, target, l);
    }
    for (std::size_t s = 0; s < plan.stage_count; ++s)
        if (plan_stage& stage = plan.stages[s]; stage.fold_first != no_axis && !is_folded_in_parts(plan, stage)) {
            plan.buffers[stage.second_buffer].bytes = 0;
            stage.second_buffer = no_buffer;
        }
    for (loop_index l{}; l < plan.loop_count; ++l) {
        if (!plan.loops[l].limits.stop())
            plan.loops[l].overlaps = may_overlap(plan, nodes, target, l);
        else if (plan.loops[l].rows && in_parts)
            settle_limited(plan, nodes, target, l);
    }
    if (target.worker_rows != 0) share_loops(plan, nodes, target);
}

}  // namespace ashlar::detail
