// SPDX-License-Identifier: BSL-1.0
// Which product of a sum is computed together with it in one C++ expression.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/eval/access/idle_lanes.hpp>
#include <ashlar/eval/frame.hpp>
#include <ashlar/expr/elementwise/functions.hpp>

namespace ashlar::inline v0_1::detail {

template <class Plan, node_index Id>
using function_of_node = std::remove_cvref_t<decltype(Plan::template node<Id>::function)>;

/// Whether node Id is a product of elements that stage Stage computes: not one that it loads, and not the scale of its
/// scores.
template <class Plan, stage_index Stage, node_index Id>
consteval bool computes_product() {
    constexpr const auto& stage = Plan::code.stages[Stage];
    constexpr bool elsewhere =
        is_source<Plan, Stage>(Id) || (Id == stage.scaling && stage.factor != score_factor::in_rows);
    if constexpr (Plan::nodes[Id].kind == node_kind::map && !elsewhere)
        return std::is_same_v<function_of_node<Plan, Id>, times_function>;
    else
        return false;
}

inline constexpr std::size_t no_product_in_sum = 2;

/// Which operand of node Id, a floating-point sum or difference, is a product that the stage computes. In one C++
/// expression -ffp-contract decides whether both are rounded once, as in a loop written by hand. g++ contracts across
/// functions too, clang does not.
template <class Plan, stage_index Stage, node_index Id>
consteval std::size_t product_in_sum() {
    constexpr const graph_node& sum = Plan::nodes[Id];
    if constexpr (sum.kind == node_kind::map &&
                  std::is_floating_point_v<element_of<typename Plan::template node<Id>>>) {
        using function = function_of_node<Plan, Id>;
        if constexpr (std::is_same_v<function, plus_function> || std::is_same_v<function, minus_function>) {
            if constexpr (computes_product<Plan, Stage, sum.operands[0]>()) return 0;
            if constexpr (computes_product<Plan, Stage, sum.operands[1]>()) return 1;
        }
    }
    return no_product_in_sum;
}

/// The sum or difference of a * b, its operand Index, and c.
template <class Function, std::size_t Index>
struct combined_with_product {
    template <class Number>
    ASHLAR_ALWAYS_INLINE constexpr Number operator()(Number a, Number b, Number c) const {
        if constexpr (std::is_same_v<Function, plus_function>)
            return a * b + c;
        else if constexpr (Index == 0)
            return a * b - c;
        else
            return c - a * b;
    }
};

}  // namespace ashlar::detail
