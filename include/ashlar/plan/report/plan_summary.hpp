// SPDX-License-Identifier: BSL-1.0
// plan<Expression>: what an evaluation of an expression does, as constants to assert on.
#pragma once

#include <ashlar/plan/graph/cost.hpp>
#include <ashlar/plan/report/key_tiles.hpp>

namespace ashlar::inline v0_1 {

/// One step of a plan: a loop over tiles of rows with everything that is computed in a tile, or what runs outside of
/// such loops. Its scratch lives for a tile; only its outputs outlive it. Example: `plan`.
struct plan_step {
    std::array<std::size_t, detail::max_rank> batch{};  ///< extents of the loops around it, outermost first
    std::size_t batch_loops = 0;                        ///< how many entries of `batch` count
    std::size_t rows = 1;                               ///< extent of the axis whose rows it loops over
    std::size_t tile_rows = 1;                          ///< rows of one tile; the last tile may have fewer
    std::size_t inner_loops = 0;                        ///< loops inside a tile, such as the one over heads
    std::size_t stages = 0;                             ///< passes over a tile
    std::size_t products = 0;                           ///< matrix products among them
    std::size_t outputs = 0;        ///< values that outlive it: barriers, stores, and the destination
    std::size_t barriers = 0;       ///< values that it makes for later steps
    std::size_t stores = 0;         ///< destinations of `store` that it writes
    bool writes_result = false;     ///< whether it writes the destination
    bool rows_in_lanes = false;     ///< whether a stage computes several rows in the lanes of a register
    bool columns_in_lanes = false;  ///< whether a stage computes several columns in the lanes of a register
    bool depth_in_lanes = false;    ///< whether a product sums in the lanes of a register
    std::size_t scratch_bytes = 0;  ///< memory that a tile uses, besides barriers
    std::size_t barrier_bytes = 0;  ///< memory of the barriers that it makes
    std::size_t flops = 0;          ///< arithmetic over all its tiles and the loops around it, as in flops<Expression>
    key_tiles keys{};               ///< what its masks keep, where it masks scores

    /// The number of tiles in one pass of the loops around it.
    constexpr std::size_t tiles() const { return (rows + tile_rows - 1) / tile_rows; }
};

/// A plan: its steps in execution order, and totals. Sizes are those for a dense destination of the expression's shape.
///
///     constexpr auto& block = plan<decltype(attention(q, k, v, causal))>;
///     static_assert(block.steps[0].writes_result && block.steps[0].products == 2);
template <std::size_t Steps>
struct plan_summary {
    std::array<plan_step, Steps> steps{};
    std::size_t step_count = Steps;
    std::size_t barrier_count = 0;            ///< values passed from step to step in memory
    std::size_t barrier_bytes = 0;            ///< of them
    std::size_t scratch_bytes = 0;            ///< workspace_bytes<Expression>
    std::size_t flops = 0;                    ///< flops<Expression>
    std::size_t largest_buffer_elements = 0;  ///< elements of the largest value that scratch holds, tiles and barriers
    std::size_t largest_tile_elements = 0;    ///< elements of the largest value that is no barrier
};

namespace detail {

/// Bytes of scratch of the buffers in `counts`.
template <class Plan, class Function>
constexpr std::size_t covered_bytes(Function counts) {
    std::size_t covered = 0, end = 0;
    for (;;) {
        buffer_index next = no_buffer;
        for (buffer_index b{}; b < Plan::code.buffer_count; ++b)
            if (counts(b) && Plan::code.buffers[b].offset + Plan::code.buffers[b].bytes > end &&
                (next == no_buffer || Plan::code.buffers[b].offset < Plan::code.buffers[next].offset))
                next = b;
        if (next == no_buffer) return covered;
        const plan_buffer& buffer = Plan::code.buffers[next];
        const std::size_t first = buffer.offset > end ? buffer.offset : end;
        covered += buffer.offset + buffer.bytes - first;
        end = buffer.offset + buffer.bytes;
    }
}

/// Whether a buffer before this one is a barrier for the same value.
template <class Plan>
constexpr bool is_counted_before(buffer_index b, std::size_t step) {
    for (std::size_t o = 0; o < b; ++o)
        if (Plan::code.buffers[o].node == Plan::code.buffers[b].node && steps_of<Plan>.is_barrier[o] &&
            (step == no_axis || steps_of<Plan>.writes[step][o]))
            return true;
    return false;
}

template <class Plan>
constexpr plan_step summarise_step(std::size_t i) {
    const auto& found = steps_of<Plan>;
    plan_step step;
    for (loop_index l = found.place[i].parent; l != no_loop; l = Plan::code.loops[l].parent) {
        if (step.batch_loops < max_rank) ++step.batch_loops;
        for (std::size_t a = step.batch_loops; a-- > 1;) step.batch[a] = step.batch[a - 1];
        step.batch[0] = Plan::code.loops[l].extent;
    }
    if (const loop_index rows = found.place[i].rows; rows != no_loop) {
        step.rows = Plan::code.loops[rows].extent;
        step.tile_rows = Plan::code.loops[rows].tile;
    }
    for (loop_index l{}; l < Plan::code.loop_count; ++l)
        if (found.of_loop[l] == i && l != found.place[i].rows) ++step.inner_loops;
    for (stage_index s{}; s < Plan::code.stage_count; ++s) {
        if (found.of_stage[s] != i) continue;
        const auto& stage = Plan::code.stages[s];
        ++step.stages;
        step.products += stage.kind == stage_kind::product ? 1 : 0;
        step.rows_in_lanes = step.rows_in_lanes || stage.lanes == lane_axis::rows;
        step.columns_in_lanes = step.columns_in_lanes || stage.lanes == lane_axis::columns;
        step.depth_in_lanes = step.depth_in_lanes || stage.lanes == lane_axis::depth;
        if (stage.store != no_node)
            ++step.stores;
        else if (stage.buffer == no_buffer && stage.second_buffer == no_buffer)
            step.writes_result = true;
        const key_tiles keys = key_tiles_of<Plan>(s);
        step.keys.total += keys.total;
        step.keys.empty += keys.empty;
        step.keys.mixed += keys.mixed;
        step.keys.full += keys.full;
        step.keys.undecided += keys.undecided;
        step.keys.skipped += keys.skipped;
    }
    for (buffer_index b{}; b < Plan::code.buffer_count; ++b)
        if (found.writes[i][b] && found.is_barrier[b] && !is_counted_before<Plan>(b, i)) ++step.barriers;
    step.outputs = step.barriers + step.stores + (step.writes_result ? 1 : 0);
    step.barrier_bytes = covered_bytes<Plan>([&](buffer_index b) { return found.writes[i][b] && found.is_barrier[b]; });
    step.scratch_bytes =
        covered_bytes<Plan>([&](buffer_index b) { return found.writes[i][b] && !found.is_barrier[b]; });
    for (std::size_t n = 0; n < Plan::count; ++n)
        if (const stage_index s = stage_of_nodes<Plan>[n]; s != no_stage && found.of_stage[s] == i)
            step.flops += flops_of_nodes<typename Plan::expression_type>[n];
    return step;
}

template <class Plan>
constexpr auto summarise() {
    plan_summary<steps_of<Plan>.count> all;
    for (std::size_t i = 0; i < all.step_count; ++i) all.steps[i] = summarise_step<Plan>(i);
    all.scratch_bytes = Plan::code.scratch_bytes;
    all.flops = expression_flops<typename Plan::expression_type>;
    for (buffer_index b{}; b < Plan::code.buffer_count; ++b) {
        const plan_buffer& buffer = Plan::code.buffers[b];
        if (buffer.role == buffer_role::table) continue;
        const bool barrier = steps_of<Plan>.is_barrier[b];
        if (barrier && !is_counted_before<Plan>(b, no_axis)) ++all.barrier_count;
        const std::size_t elements = buffer.bytes / Plan::nodes[buffer.node].element_bytes;
        if (elements > all.largest_buffer_elements) all.largest_buffer_elements = elements;
        if (!barrier && elements > all.largest_tile_elements) all.largest_tile_elements = elements;
    }
    all.barrier_bytes = covered_bytes<Plan>([](buffer_index b) { return steps_of<Plan>.is_barrier[b]; });
    return all;
}

template <class Plan>
inline constexpr auto summary_of_plan = summarise<Plan>();

template <class Expression, class Config>
inline constexpr auto expression_plan = [] {
    if constexpr (!node_expression<Expression>)
        return plan_summary<0>{};
    else if constexpr (!check_names<Expression>())
        return plan_summary<0>{};
    else
        return summary_of_plan<planned<Expression, Config>>;
}();

}  // namespace detail

/// The plan of expression type Expression, a plan_summary: constants for assertions about what is computed together and
/// what is held in memory. A tensor needs no step. `explain` shows the same as text.
///
///     using block = decltype(attention(q, k, v, causal));
///     static_assert(plan<block>.step_count == 1 && plan<block>.barrier_count == 0);
///     static_assert(plan<block>.largest_buffer_elements <= 32 * 64);   // never more scores than a tile of rows
template <class Expression, class Config = current_config>
inline constexpr auto plan = detail::expression_plan<detail::planned_by<Expression>, Config>;

}  // namespace ashlar
