// SPDX-License-Identifier: BSL-1.0
// The pass that chooses how each stage runs, in full tiles and in the last tile.
#pragma once

#include <ashlar/plan/choose/choose_map.hpp>
#include <ashlar/plan/choose/choose_product.hpp>
#include <ashlar/plan/choose/choose_rows.hpp>
#include <ashlar/plan/choose/conditional_loads.hpp>
#include <ashlar/plan/choose/powers_of_two.hpp>
#include <ashlar/plan/choose/staged_rows.hpp>
#include <ashlar/plan/graph/matrix_cost.hpp>

namespace ashlar::inline v0_1::detail {

/// Multiply-adds, or a sixteenth of the elements of other stages, beyond which the cost of a call is negligible.
inline constexpr std::size_t least_outlined_work = 8 * 1024;

/// Whether a stage works so long on these rows that the cost of a call is negligible.
constexpr bool is_worth_a_call(const plan_context& c, const plan_stage& s, std::size_t rows) {
    const graph_node& space = c.at(s.space);
    std::size_t work = rows * (s.column_axis == no_axis ? 1 : space.extents[s.column_axis]);
    if (s.kind == stage_kind::product) {
        const graph_node& left = c.at(space.operands[0]);
        work *= left.extents[left.rank - 1u];
    } else if (s.kind == stage_kind::matrix) {
        work = matrix_flops(space, c.at(space.operands[0])) / 2;
    } else {
        work *= 16;
    }
    return work >= least_outlined_work;
}

/// Whether a product can skip register blocks of rows that rows_below excludes: no stage needs their results, and no
/// other block depends on them.
constexpr bool may_skip_rows(const plan_context& c, const plan_stage& s, std::size_t tile) {
    if (s.kind != stage_kind::product || s.lanes == lane_axis::rows || s.row_axis == no_axis) return false;
    // A copy inside the product happens during the first rows, and sums of blocks of keys wait in all rows.
    if (s.transposed_copy != no_stage || s.depth_loop != no_loop || s.maxima != no_buffer) return false;
    loop_index rows = s.loop;
    while (rows != no_loop && !c.plan.loops[rows].rows) rows = c.plan.loops[rows].parent;
    if (rows == no_loop || rows != s.bindings[s.row_axis] || !c.plan.loops[rows].limits.stop()) return false;
    const product_strategy& how = s.how[tile].product;
    if (how.form == product_form::dots) return c.rows_of(s, tile) > 1;
    return how.cut.row_blocks > 1 || how.fewer_panels.row_blocks > 1 || how.last_panel.row_blocks > 1;
}

/// Whether the program is a single stage. Copies that products make themselves do not count.
constexpr bool is_one_stage(const program& plan) {
    std::size_t stages = plan.stage_count;
    for (std::size_t f = 0; f < plan.fusion_count; ++f)
        if (plan.fusions[f].how[full_tile] == fusion::transposed_copy) --stages;
    return stages == 1;
}

/// Adjusts the strategies of products that a fusion computes in registers: the scores and, unless their numerators go
/// to memory, the values. Nothing waits in the result, and nothing is packed or prefetched.
constexpr void settle_fused_products(const plan_context& c, const plan_fusion& fused, std::size_t tile) {
    c.plan.stages[fused.stages[0]].how[tile].product.in_registers = true;
    if (fused.how[tile] == fusion::register_softmax_to_memory) return;
    stage_strategy& values = c.plan.stages[fused.stages[2]].how[tile];
    values.skips_rows = false;
    values.product.kernel = 0;
    values.product.in_registers = true;
    values.product.prefetches = false;
    values.product.k_parts = 1;
    values.product.epilogue = epilogue_time::block_end;
}

constexpr void settle_fusions(const plan_context& c) {
    for (std::size_t f = 0; f < c.plan.fusion_count; ++f) {
        plan_fusion& fused = c.plan.fusions[f];
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            const fusion how = fused.how[tile];
            if (how == fusion::statistics_into_map)
                fused.one_loop[tile] = is_one_loop(c, fused, tile);
            else if (in_registers(how))
                settle_fused_products(c, fused, tile);
        }
    }
}

constexpr void choose(program& plan, const graph_node* nodes, const machine& target) {
    const plan_context context{plan, nodes, target};
    const bool alone = is_one_stage(plan);
    use_powers_of_two(context);
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        plan_stage& stage = plan.stages[s];
        stage.loads_conditionally = loads_conditionally(context.memory_of(stage), stage, stage.top);
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            const std::size_t rows = context.rows_of(stage, tile);
            stage_strategy& how = stage.how[tile] = stage_strategy{};
            if (rows == 0) continue;
            how.outlined = !alone && is_worth_a_call(context, stage, rows);
            switch (stage.kind) {
            case stage_kind::map: how.map = choose_map(context, stage, tile); break;
            case stage_kind::matrix: break;
            case stage_kind::product:
                how.product = choose_product(context, stage, tile);
                how.skips_rows = may_skip_rows(context, stage, tile);
                break;
            default: how.rows = choose_rows(context, stage, tile);
            }
        }
    }
    settle_fusions(context);
    stage_rows(context);
    order_weights(context);
}

}  // namespace ashlar::detail
