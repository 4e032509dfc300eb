// SPDX-License-Identifier: BSL-1.0
// Application of masks: masked scores, and values replaced where a condition is true.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/masks/causal.hpp>
#include <ashlar/expr/masks/count.hpp>
#include <ashlar/expr/masks/keep.hpp>
#include <ashlar/expr/masks/keep_finite.hpp>
#include <ashlar/expr/masks/keep_if.hpp>
#include <ashlar/expr/masks/keys_below.hpp>
#include <ashlar/expr/nodes.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

template <class Mask>
struct mask_of_scores {
    static constexpr bool is_mask = mask_argument<Mask>;
};

/// Whether a shape can be that of masked scores, with queries and keys as its last two axes.
template <class Shape>
struct score_axes {
    static constexpr bool are_queries_and_keys = Shape::rank >= 2;
};

/// Whether a condition's shape broadcasts to that of the values it selects.
template <class Condition, class Values>
struct fill_condition {
    static constexpr bool fits = broadcast_target<Condition, Values>::fits;
};

template <class Scores, class Mask>
struct mask_check {
    using type = any_scores;
};
template <class Scores, mask_argument Mask>
    requires(Scores::rank >= 2)
struct mask_check<Scores, Mask> {
    using type = typename mask_of<Mask>::template check<Scores>;
};

// The operations call these checks directly: an intermediate function adds three lines to an error, and a class that
// fails a static_assert adds more.

/// Checks that a mask can be applied to scores of a shape and element type Element.
template <class Element, class Scores, class Mask>
consteval bool check_option(std::type_identity<Mask>) {
    using check = typename mask_check<Scores, Mask>::type;
    constexpr bool is_mask = mask_of_scores<Mask>::is_mask, has_axes = score_axes<Scores>::are_queries_and_keys;
    static_assert(
        mask_of_scores<Mask>::is_mask,
        "ashlar: mask: this is not a mask; keep(t) and ignore(t) make one of a bool tensor, keep_if<p>() of a "
        "predicate");
    static_assert(!is_mask || score_axes<Scores>::are_queries_and_keys,
                  "ashlar: mask: the last two axes of the scores must be queries and keys; unsqueeze<0> one query");
    static_assert(
        !is_mask || !has_axes || check::fits,
        "ashlar: mask: the mask's tensor must broadcast to the scores, numbers of keys_below and causal_at to "
        "their batch axes; unsqueeze or rename its axes");
    return is_mask && has_axes && check::fits;
}

}  // namespace detail

/// The scores, with minus infinity at the pairs that the mask does not keep. The mask addresses the last two axes,
/// queries and keys. A softmax of the result has zeros at those pairs, also in rows that keep nothing, and a matmul of
/// that does not read the excluded values.
///
///     auto p = softmax(masked(matmul(q, transpose(k)) * rsqrt_extent<head>, causal && keys_below(length)));
template <any_expression Expression, class Mask>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto masked(Expression&& scores, Mask&& mask) noexcept {
    constexpr bool is_floating_point = detail::floating_elements<element_of<Expression>>::given;
    static_assert(detail::floating_elements<element_of<Expression>>::given,
                  "ashlar: masked: scores must be floating point, as they become minus infinity; use masked_fill");
    if constexpr (!is_floating_point) {
        return detail::hold(std::forward<Expression>(scores));
    } else if constexpr (!detail::check_option<element_of<Expression>, shape_of<Expression>>(
                             std::type_identity<std::remove_cvref_t<Mask>>{})) {
        return detail::hold(std::forward<Expression>(scores));
    } else {
        return masked_node<detail::mask_of<Mask>, detail::held<Expression>>{
            {{}, {{detail::hold(std::forward<Expression>(scores))}}}, detail::as_mask(std::forward<Mask>(mask))};
    }
}

/// x, with the value where the condition is true. The condition is an expression of bools, or a mask, which is true
/// where it keeps; it broadcasts to x. The value is a number or an expression that broadcasts to x.
///
///     auto y = masked_fill(x, x < 0.0f, 0.0f);
///     auto s = masked_fill(scores, !causal, -1e4f);
template <any_expression Expression, class Excluded, class Value>
    requires(any_expression<Value> || detail::scalar_argument<Value>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto masked_fill(Expression&& x, Excluded&& condition,
                                                              Value&& value) noexcept {
    if constexpr (any_expression<Excluded>) {
        static_assert(detail::fill_condition<shape_of<Excluded>, shape_of<Expression>>::fits,
                      "ashlar: masked_fill: the condition must broadcast to the values; unsqueeze or rename its axes");
        if constexpr (detail::fill_condition<shape_of<Excluded>, shape_of<Expression>>::fits)
            return where(std::forward<Excluded>(condition), std::forward<Value>(value), std::forward<Expression>(x));
        else
            return detail::hold(std::forward<Expression>(x));
    } else if constexpr (!detail::check_option<element_of<Expression>, shape_of<Expression>>(
                             std::type_identity<std::remove_cvref_t<Excluded>>{})) {
        return detail::hold(std::forward<Expression>(x));
    } else {
        return where(
            mask_node<detail::mask_of<Excluded>, shape_of<Expression>>{
                {}, detail::as_mask(std::forward<Excluded>(condition))},
            std::forward<Value>(value), std::forward<Expression>(x));
    }
}

}  // namespace ashlar
