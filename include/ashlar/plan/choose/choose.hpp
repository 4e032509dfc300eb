// SPDX-License-Identifier: BSL-1.0
// The pass that chooses how each stage runs, in full tiles and in the last one.
#pragma once

#include <ashlar/plan/choose/choose_map.hpp>
#include <ashlar/plan/choose/choose_product.hpp>
#include <ashlar/plan/choose/choose_rows.hpp>

namespace ashlar::detail {

template <std::size_t Count>
constexpr void choose(program<Count>& plan, const std::array<graph_node, Count>& nodes, const machine& target) {
    const plan_context<Count> context{plan, nodes, target};
    for (std::size_t s = 0; s < plan.stage_count; ++s)
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            plan_stage<Count>& stage = plan.stages[s];
            if (context.rows_of(stage, tile) == 0) continue;
            stage_strategy& how = stage.how[tile];
            switch (stage.kind) {
            case stage_kind::map: how.map = choose_map(context, stage, tile); break;
            case stage_kind::product: how.product = choose_product(context, stage, tile); break;
            default: how.rows = choose_rows(context, stage, tile);
            }
        }
    weights_in_order<Count>{context}.tell();
}

}  // namespace ashlar::detail
