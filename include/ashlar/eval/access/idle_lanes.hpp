// SPDX-License-Identifier: BSL-1.0
// Which nodes of a stage have elements in the lanes after the last one, and which functions need them there.
#pragma once

#include <ashlar/eval/frame.hpp>
#include <ashlar/expr/elementwise/functions.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether stage Stage reads node n from memory or from a product's registers, whose idle lanes are zeros.
template <class Plan, stage_index Stage>
consteval bool is_source(node_index n) {
    constexpr const auto& stage = Plan::code.stages[Stage];
    return Plan::code.read_of(stage, n).values != no_buffer || (stage.kind == stage_kind::product && n == stage.core);
}

/// Whether lanes after the last element hold valid values anyway: numbers, coordinates, and what was computed from
/// elements.
template <class Plan, stage_index Stage, node_index Id>
consteval bool holds_elements() {
    constexpr const graph_node& n = Plan::nodes[Id];
    if constexpr (is_source<Plan, Stage>(Id)) {
        return false;
    } else if constexpr (n.kind == node_kind::let || n.kind == node_kind::let_value) {
        return holds_elements<Plan, Stage, n.same_as>();
    } else if constexpr (n.kind == node_kind::map) {
        if constexpr (takes_idle_lanes<decltype(Plan::template node<Id>::function)>)
            return []<std::size_t... Index>(std::index_sequence<Index...>) {
                return (holds_elements<Plan, Stage, Plan::nodes[Id].operands[Index]>() && ...);
            }(std::make_index_sequence<Plan::template node<Id>::operand_count>{});
        else
            return true;
    } else {
        return n.kind == node_kind::scalar || n.kind == node_kind::index;
    }
}

/// Whether a function between the stage's sources and node Id needs elements in all lanes.
template <class Plan, stage_index Stage, node_index Id>
consteval bool needs_valid_lanes() {
    constexpr const graph_node& n = Plan::nodes[Id];
    if constexpr (is_source<Plan, Stage>(Id) || n.kind == node_kind::scalar) {
        return false;
    } else if constexpr (n.kind == node_kind::let || n.kind == node_kind::let_value) {
        return needs_valid_lanes<Plan, Stage, n.same_as>();
    } else if constexpr (n.kind != node_kind::map) {
        return true;
    } else if constexpr (!takes_idle_lanes<decltype(Plan::template node<Id>::function)>) {
        return true;
    } else {
        return []<std::size_t... Index>(std::index_sequence<Index...>) {
            return (needs_valid_lanes<Plan, Stage, Plan::nodes[Id].operands[Index]>() || ...);
        }(std::make_index_sequence<Plan::template node<Id>::operand_count>{});
    }
}

}  // namespace ashlar::detail
