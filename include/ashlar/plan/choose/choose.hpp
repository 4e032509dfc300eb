// SPDX-License-Identifier: BSL-1.0
// The pass that chooses how each stage runs, in full tiles and in the last one.
#pragma once

#include <ashlar/plan/choose/choose_rows.hpp>

namespace ashlar::detail {

template <std::size_t Count>
constexpr void choose(program<Count>& plan, const std::array<graph_node, Count>& nodes, const machine& target) {
    const plan_context<Count> context{plan, nodes, target};
    for (std::size_t s = 0; s < plan.stage_count; ++s)
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            plan_stage<Count>& stage = plan.stages[s];
            if (context.rows_of(stage, tile) == 0) continue;
            if (stage.kind == stage_kind::map)
                stage.how[tile].map = choose_map(context, stage, tile);
            else if (stage.kind != stage_kind::product)
                stage.how[tile].rows = choose_rows(context, stage, tile);
        }
}

}  // namespace ashlar::detail
