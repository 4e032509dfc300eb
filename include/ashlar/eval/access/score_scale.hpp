// SPDX-License-Identifier: BSL-1.0
// The factor of scores that are logarithms of base two.
#pragma once

#include <ashlar/eval/frame.hpp>
#include <ashlar/kernel/math/exp.hpp>

namespace ashlar::inline v0_1::detail {

/// log2(e), times or divided by the scalar that scales the scores of a stage, if there is one. Read once, because the
/// compiler must assume that stores change the expression.
template <class Plan, stage_index Stage>
struct score_scale {
    static constexpr const auto& stage = Plan::code.stages[Stage];
    using element = std::conditional_t<Plan::nodes[stage.top].element_bytes == sizeof(double), double, float>;
    element value;

    ASHLAR_STAGE_INLINE static score_scale of(const typename Plan::expression_type* e) {
        constexpr element log2_e = exp_reduction<element>::log2_e;
        constexpr node_index scaling = stage.scaling;
        if constexpr (scaling == no_node) {
            return {log2_e};
        } else {
            constexpr const graph_node& n = Plan::nodes[scaling];
            const auto scalar = static_cast<element>(node_at<n.operands[1]>(*e).value);
            return {n.scaling == scaling_kind::times ? scalar * log2_e : log2_e / scalar};
        }
    }
};
/// For the other stages.
struct no_score_scale {
    ASHLAR_ALWAYS_INLINE static no_score_scale of(const void*) { return {}; }
};

}  // namespace ashlar::detail
