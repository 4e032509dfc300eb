// SPDX-License-Identifier: BSL-1.0
// The pass that chooses how each stage runs, in full tiles and in the last one.
#pragma once

#include <ashlar/plan/choose/choose_map.hpp>
#include <ashlar/plan/choose/choose_product.hpp>
#include <ashlar/plan/choose/choose_rows.hpp>
#include <ashlar/plan/choose/fuse_softmax_into_product.hpp>
#include <ashlar/plan/choose/staged_rows.hpp>

namespace ashlar::detail {

/// Multiply-adds, or a sixteenth of the elements of other stages, beyond which a call does not matter.
inline constexpr std::size_t least_outlined_work = 8 * 1024;

/// Whether a stage works long enough on so many rows for a call not to matter.
constexpr bool is_worth_a_call(const plan_context& c, const plan_stage& s, std::size_t rows) {
    const graph_node& space = c.at(s.space);
    std::size_t work = rows * (s.column_axis == no_axis ? 1 : space.extents[s.column_axis]);
    if (s.kind == stage_kind::product) {
        const graph_node& left = c.at(space.operands[0]);
        work *= left.extents[left.rank - 1u];
    } else {
        work *= 16;
    }
    return work >= least_outlined_work;
}

/// Whether all that runs is one stage: copies that products make themselves are no stages of their own.
constexpr bool is_one_stage(const program& plan) {
    std::size_t stages = plan.stage_count;
    for (std::size_t f = 0; f < plan.fusion_count; ++f)
        if (plan.fusions[f].how[full_tile] == fusion::transposed_copy) --stages;
    return stages == 1;
}

/// Gives a fused product's strategy what it does where it is fused, and leaves out what it does not do there: in
/// registers, or beside exponentials, nothing waits in the result; what is read next is asked for by none of them.
constexpr void settle_fused_product(const plan_context& c, const plan_fusion& fused, std::size_t tile) {
    const fusion how = fused.how[tile];
    plan_stage& product = c.plan.stages[fused.stages[2]];
    product_strategy& of_product = product.how[tile].product;
    if (of_product.rhs == rhs_source::copied_rows) of_product.rhs = rhs_source::rows;
    of_product.prefetches = false;
    of_product.k_parts = 1;
    if (how != fusion::transposed_copy) of_product.epilogue = epilogue_time::block_end;
    if (how == fusion::softmax_into_product) pace_exponentials(c, product, tile);
}

constexpr void settle_fusions(const plan_context& c) {
    for (std::size_t f = 0; f < c.plan.fusion_count; ++f) {
        plan_fusion& fused = c.plan.fusions[f];
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            const fusion how = fused.how[tile];
            if (how == fusion::statistics_into_map)
                fused.one_loop[tile] = is_one_loop(c, fused, tile);
            else if (how != fusion::none && how != fusion::register_softmax_to_memory)
                settle_fused_product(c, fused, tile);
        }
    }
}

constexpr void choose(program& plan, const graph_node* nodes, const machine& target) {
    const plan_context context{plan, nodes, target};
    const bool alone = is_one_stage(plan);
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        plan_stage& stage = plan.stages[s];
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            const std::size_t rows = context.rows_of(stage, tile);
            stage_strategy& how = stage.how[tile] = stage_strategy{};
            if (rows == 0) continue;
            how.outlined = !alone && is_worth_a_call(context, stage, rows);
            switch (stage.kind) {
            case stage_kind::map: how.map = choose_map(context, stage, tile); break;
            case stage_kind::product: how.product = choose_product(context, stage, tile); break;
            default: how.rows = choose_rows(context, stage, tile);
            }
        }
    }
    settle_fusions(context);
    stage_rows(context);
    order_weights(context);
}

}  // namespace ashlar::detail
