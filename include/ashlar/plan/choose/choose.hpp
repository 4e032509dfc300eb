// SPDX-License-Identifier: BSL-1.0
// The pass that chooses how each stage runs, in full tiles and in the last one.
#pragma once

#include <ashlar/plan/choose/plan_context.hpp>

namespace ashlar::detail {

template <std::size_t Count>
constexpr void choose(program<Count>& plan, const std::array<graph_node, Count>& nodes, const machine& target) {
    const plan_context<Count> context{plan, nodes, target};
    static_cast<void>(context);
}

}  // namespace ashlar::detail
