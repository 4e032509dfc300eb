// SPDX-License-Identifier: BSL-1.0
// The pass that fuses neighbouring stages: before storage is placed, as fused ones leave less in memory.
#pragma once

#include <ashlar/plan/choose/plan_context.hpp>

namespace ashlar::detail {

template <std::size_t Count>
constexpr void fuse(program<Count>& plan, const std::array<graph_node, Count>& nodes, const machine& target) {
    const plan_context<Count> context{plan, nodes, target};
    static_cast<void>(context);
}

}  // namespace ashlar::detail
