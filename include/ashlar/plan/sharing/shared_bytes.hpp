// SPDX-License-Identifier: BSL-1.0
// Bytes that a worker reads if several share a plan: the measure for comparing ways of sharing.
#pragma once

#include <bit>
#include <cstddef>
#include <limits>

#include <ashlar/plan/build/share_loops.hpp>
#include <ashlar/plan/sharing/same_sums.hpp>

namespace ashlar::inline v0_1::detail {

/// The cost of one synchronization of this many workers, in bytes of weights that each could read meanwhile: some
/// microseconds for two, and as much again for each doubling, because messages pass from core to core.
constexpr std::size_t bytes_of_barrier(std::size_t workers) {
    constexpr std::size_t of_two = 32 * 1024;
    return workers < 2 ? 0 : of_two * static_cast<std::size_t>(std::bit_width(workers - 1));
}

/// The shared loop directly inside a loop; no_loop if there is none.
template <class Program>
constexpr loop_index shared_loop_in(const Program& plan, loop_index loop) {
    for (std::size_t i = 0; i < plan.item_count; ++i) {
        const plan_item& item = plan.items[i];
        if (item.parent == loop && item.is_loop() && plan.loops[item.loop].is_shared) return item.loop;
    }
    return no_loop;
}

/// Iterations of a loop times those of the shared loops directly inside it.
template <class Program>
constexpr std::size_t iterations_of(const Program& plan, loop_index loop) {
    const plan_loop& l = plan.loops[loop];
    // A last tile that begins early belongs to the tile before it.
    const std::size_t rows = have_same_sums_in_parts(plan, loop) ? l.part : l.tile;
    const std::size_t turns = l.overlaps ? l.extent / rows : (l.extent + rows - 1) / rows;
    const loop_index inner = l.is_split ? no_loop : shared_loop_in(plan, loop);
    return inner == no_loop ? turns : turns * iterations_of(plan, inner);
}

/// Iterations that the slowest of this many workers runs.
constexpr std::size_t iterations_of_slowest(std::size_t turns, std::size_t workers) {
    return (turns + workers - 1) / workers;
}

/// Bytes that one of this many workers reads of a product's operands in one iteration of the loop around it.
template <class Plan>
constexpr std::size_t bytes_of_product(const plan_stage& stage, std::size_t workers) {
    const graph_node& core = Plan::nodes[stage.core];
    const graph_node& left = Plan::nodes[core.operands[0]];
    const std::size_t depth = left.extents[left.rank - 1u], columns = core.extents[core.rank - 1u];
    const node_index right = Plan::resolve(core.operands[1]);
    std::size_t weights = 0, rows = 1;
    if (Plan::nodes[right].kind == node_kind::packed) weights = Plan::nodes[right].memory_bytes();
    if (stage.row_axis != no_axis) {
        const loop_index loop = stage.bindings[stage.row_axis];
        rows = loop == whole_axis            ? core.extents[stage.row_axis]
               : Plan::code.loops[loop].rows ? Plan::code.loops[loop].tile
                                             : 1;
    }
    if (stage.shares_columns) {
        const std::size_t runs = column_runs(stage.how[full_tile].product, columns, Plan::nodes[right].panel);
        weights = weights / runs * iterations_of_slowest(runs, workers);
    }
    return weights + rows * depth * core.element_bytes;
}

/// Iterations of a loop for this many requested rows.
constexpr std::size_t iterations_below(const plan_loop& loop, std::size_t rows) {
    const std::size_t end = loop.limits.stop() && rows < loop.extent ? rows : loop.extent;
    return (end + loop.tile - 1) / loop.tile;
}

/// Bytes of products' operands that the busiest worker reads, plus the cost of waiting, for this many workers and
/// requested rows.
template <class Plan>
constexpr std::size_t bytes_of_worker(std::size_t workers,
                                      std::size_t rows = (std::numeric_limits<std::size_t>::max)()) {
    const auto& code = Plan::code;
    std::size_t bytes = 0;
    for (std::size_t s = 0; s < code.stage_count; ++s) {
        const plan_stage& stage = code.stages[s];
        std::size_t times = 1, shared = 1, own = 1;
        for (loop_index l = stage.loop; l != no_loop; l = code.loops[l].parent)
            (code.loops[l].is_shared ? shared : own) *= iterations_below(code.loops[l], rows);
        times = own * iterations_of_slowest(shared, workers);
        if (stage.kind == stage_kind::product) bytes += times * bytes_of_product<Plan>(stage, workers);
        if (stage.shares_columns) bytes += own * bytes_of_barrier(workers);
    }
    for (loop_index l{}; l < code.loop_count; ++l)
        if (code.loops[l].is_shared && !is_in_shared_loop(code, code.loops[l].parent)) {
            std::size_t times = 1;
            for (loop_index outer = code.loops[l].parent; outer != no_loop; outer = code.loops[outer].parent)
                times *= iterations_below(code.loops[outer], rows);
            bytes += times * bytes_of_barrier(workers);
        }
    return bytes;
}

/// Rows of the largest iterations of a plan's outermost loops with a run-time end; 0 if there are none.
template <class Program>
constexpr std::size_t rows_of_iterations(const Program& plan) {
    std::size_t most = 0;
    for (loop_index l{}; l < plan.loop_count; ++l) {
        const plan_loop& loop = plan.loops[l];
        if (loop.parent != no_loop || !loop.rows || !loop.limits.stop()) continue;
        const std::size_t rows = have_same_sums_in_parts(plan, l) ? loop.part : loop.tile;
        if (rows > most) most = rows;
    }
    return most;
}

/// Whether workers share something of a plan by columns.
template <class Program>
constexpr bool has_shared_columns(const Program& plan) {
    for (std::size_t s = 0; s < plan.stage_count; ++s)
        if (plan.stages[s].shares_columns) return true;
    return false;
}

/// Whether workers could share the columns of one of its products.
template <class Plan>
consteval bool may_have_shared_columns() {
    for (std::size_t s = 0; s < Plan::code.stage_count; ++s)
        if (may_share_columns(Plan::nodes.data(), Plan::target, Plan::code.stages[s])) return true;
    return false;
}

}  // namespace ashlar::detail
