// SPDX-License-Identifier: BSL-1.0
// Masks applied: masked scores, and values filled in where a condition is true.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/elementwise.hpp>
#include <ashlar/expr/masks/causal.hpp>
#include <ashlar/expr/masks/count.hpp>
#include <ashlar/expr/masks/keep.hpp>
#include <ashlar/expr/masks/keep_if.hpp>
#include <ashlar/expr/masks/keys_below.hpp>
#include <ashlar/expr/nodes.hpp>

namespace ashlar {

namespace detail {

/// Whether an argument is a mask.
template <class M>
struct mask_of_scores {
    static constexpr bool is_mask = mask_argument<M>;
};

/// Whether an expression can be masked scores: queries and keys as its last two axes.
template <class Shape>
struct score_axes {
    static constexpr bool are_queries_and_keys = Shape::rank >= 2;
};

/// Whether a condition's shape broadcasts to that of the values it chooses among.
template <class Condition, class Values>
struct fill_condition {
    static constexpr bool fits = broadcast_target<Condition, Values>::fits;
};

template <class Scores, class M>
struct mask_check {
    using type = any_scores;
};
template <class Scores, mask_argument M>
    requires(Scores::rank >= 2)
struct mask_check<Scores, M> {
    using type = typename mask_of<M>::template check<Scores>;
};

// The checks below are functions that the operations call directly: every one in between would cost an error three
// lines, and a class that fails a static_assert costs more.

/// Checks that scores of a shape and element type T can stand under a mask.
template <class T, class Scores, class M>
consteval bool check_option(std::type_identity<M>) {
    using check = typename mask_check<Scores, M>::type;
    constexpr bool is_mask = mask_of_scores<M>::is_mask, has_axes = score_axes<Scores>::are_queries_and_keys;
    static_assert(mask_of_scores<M>::is_mask,
                  "ashlar: mask: this is no mask; keep(t) and ignore(t) make one of a bool tensor, keep_if<p>() of a "
                  "predicate");
    static_assert(!is_mask || score_axes<Scores>::are_queries_and_keys,
                  "ashlar: mask: the last two axes of the scores must be queries and keys; unsqueeze<0> one query");
    static_assert(!is_mask || !has_axes || check::fits,
                  "ashlar: mask: the mask's tensor must broadcast to the scores, counts of keys_below to their batch "
                  "axes; unsqueeze or rename its axes");
    return is_mask && has_axes && check::fits;
}

}  // namespace detail

/// The scores, with minus infinity at the pairs that the mask does not keep. The mask addresses the last two axes,
/// queries and keys. A softmax of the result has zeros at those pairs, also in rows that keep nothing, and a matmul
/// of that does not read the values that the mask excludes.
///
///     auto p = softmax(masked(matmul(q, transpose(k)) * rsqrt_extent<head>, causal && keys_below(length)));
template <expression E, class M>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto masked(E&& scores, M&& mask) noexcept {
    constexpr bool is_floating_point = detail::floating_elements<element_of<E>>::given;
    static_assert(detail::floating_elements<element_of<E>>::given,
                  "ashlar: masked: scores must be floating point, as they become minus infinity; use masked_fill");
    if constexpr (!is_floating_point) {
        return detail::hold(std::forward<E>(scores));
    } else if constexpr (!detail::check_option<element_of<E>, shape_of<E>>(std::type_identity<std::remove_cvref_t<M>>{})) {
        return detail::hold(std::forward<E>(scores));
    } else {
        return masked_node<detail::mask_of<M>, detail::held<E>>{
            {{}, {{detail::hold(std::forward<E>(scores))}}}, detail::as_mask(std::forward<M>(mask))};
    }
}

/// x with the value where the condition is true. The condition is an expression of bools, or a mask, which is true
/// where it keeps; it broadcasts to x. The value is a number or an expression that broadcasts to x.
///
///     auto y = masked_fill(x, x < 0.0f, 0.0f);
///     auto s = masked_fill(scores, !causal, -1e4f);
template <expression E, class C, class V>
    requires(expression<V> || detail::scalar_argument<V>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto masked_fill(E&& x, C&& condition, V&& value) noexcept {
    if constexpr (expression<C>) {
        static_assert(detail::fill_condition<shape_of<C>, shape_of<E>>::fits,
                      "ashlar: masked_fill: the condition must broadcast to the values; unsqueeze or rename its axes");
        if constexpr (detail::fill_condition<shape_of<C>, shape_of<E>>::fits)
            return where(std::forward<C>(condition), std::forward<V>(value), std::forward<E>(x));
        else
            return detail::hold(std::forward<E>(x));
    } else if constexpr (!detail::check_option<element_of<E>, shape_of<E>>(std::type_identity<std::remove_cvref_t<C>>{})) {
        return detail::hold(std::forward<E>(x));
    } else {
        return where(mask_node<detail::mask_of<C>, shape_of<E>>{{}, detail::as_mask(std::forward<C>(condition))},
                     std::forward<V>(value), std::forward<E>(x));
    }
}

}  // namespace ashlar
