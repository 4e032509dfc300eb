// SPDX-License-Identifier: BSL-1.0
// Normalisation of rows: softmax, log_softmax, layer_norm and rms_norm.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/fast.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

template <softmax_kind Kind, auto Axis, class... Policy, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto softmax_along(Expression&& e) noexcept {
    constexpr bool found = axis_argument<Axis, shape_of<Expression>>::found;
    constexpr bool floating = floating_elements<element_of<Expression>>::given;
    static_assert(axis_argument<Axis, shape_of<Expression>>::found,
                  "ashlar: softmax: the axis must be a position or a named axis that occurs once in the shape");
    static_assert(floating_elements<element_of<Expression>>::given,
                  "ashlar: softmax: the elements must be floating-point numbers; use cast<float>(x)");
    if constexpr (found && floating)
        return softmax_node<Kind, axis_position<shape_of<Expression>, Axis>(), held<Expression>, Policy...>{
            {{}, {{hold(std::forward<Expression>(e))}}}};
    else
        return refused<floating_or_float<element_of<Expression>>, shape_of<Expression>>();
}

template <standardize_kind Kind, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto standardize(Expression&& e, double epsilon) noexcept {
    constexpr bool found = axis_argument<-1, shape_of<Expression>>::found;
    constexpr bool floating = floating_elements<element_of<Expression>>::given;
    static_assert(axis_argument<-1, shape_of<Expression>>::found,
                  "ashlar: norm: a scalar has no last axis to normalise; give an expression of rank 1 at least");
    static_assert(floating_elements<element_of<Expression>>::given,
                  "ashlar: norm: the elements must be floating-point numbers; use cast<float>(x)");
    if constexpr (found && floating)
        return standardize_node<Kind, held<Expression>>{{{}, {{hold(std::forward<Expression>(e))}}},
                                                        static_cast<element_of<Expression>>(epsilon)};
    else
        return refused<floating_or_float<element_of<Expression>>, shape_of<Expression>>();
}

/// Whether a number can be the eps of a norm; an integer is an axis or a width by mistake.
template <class Number>
struct norm_epsilon {
    static constexpr bool is_fraction = std::is_floating_point_v<Number> || is_narrow<Number>;
};

/// Reports a norm with an integer eps.
template <class Operand, class Number>
ASHLAR_ALWAYS_INLINE constexpr auto refused_epsilon() noexcept {
    static_assert(norm_epsilon<Number>::is_fraction,
                  "ashlar: norm: eps is a floating-point number, and no axis or width is needed: rows are the last "
                  "axis; write layer_norm(x), normalize<0>(x), rms_norm(x, gamma, 1e-6)");
    return refused<floating_or_float<element_of<Operand>>, shape_of<Operand>>();
}

}  // namespace detail

/// exp(e) / sum(exp(e)) along an axis, by default the last, without overflow, lazily: e's shape, in [0, 1]. Floating
/// point. The largest element is subtracted first, and exponentials are within 2.5 ulp down to -10. If all entries are
/// minus infinity, the result is 0. If one is plus infinity, as an overflowed product is, all results are NaN.
///
///     auto weights = softmax(scores);
template <auto Axis = -1, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto softmax(Expression&& e) noexcept {
    return detail::softmax_along<softmax_kind::plain, Axis>(std::forward<Expression>(e));
}

/// The same with exponentials of lower degree: a relative error of at most 2.5e-4, and the same zeros.
///
///     auto weights = softmax(scores, fast);
template <auto Axis = -1, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto softmax(Expression&& e, fast_t) noexcept {
    return detail::softmax_along<softmax_kind::plain, Axis, fast_t>(std::forward<Expression>(e));
}

/// e - logsumexp(e) along an axis, by default the last, lazily: e's shape, at most 0. Floating point. The greatest
/// entry is subtracted first, so logits may be far from zero. If all entries are minus infinity, so is the result.
///
///     auto loss = -mean(log_softmax(logits) * targets);   // targets: one-hot rows
template <auto Axis = -1, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto log_softmax(Expression&& e) noexcept {
    return detail::softmax_along<softmax_kind::logarithmic, Axis>(std::forward<Expression>(e));
}

/// (x - mean) / sqrt(variance + eps) along the last axis, with the biased variance (Ba, Kiros and Hinton 2016), lazily:
/// x's shape. Floating point, rank 1 at least. Rows whose squares overflow, from 1e19 in float, give 0.
template <any_expression Operand>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto layer_norm(Operand&& x, double eps = 1e-5) noexcept {
    return detail::standardize<standardize_kind::mean_and_variance>(std::forward<Operand>(x), eps);
}

/// The same times gamma plus beta, which broadcast to x.
///
///     auto y = layer_norm(x, gamma, beta, 1e-6);   // gamma, beta: tensor<float, head>
template <any_expression Operand, any_expression Gamma, any_expression Beta>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto layer_norm(Operand&& x, Gamma&& gamma, Beta&& beta,
                                                             double eps = 1e-5) noexcept {
    static_assert(detail::broadcast_target<shape_of<Gamma>, shape_of<Operand>>::fits,
                  "ashlar: layer_norm: gamma must broadcast to the shape of x; give it the last axis");
    static_assert(!detail::broadcast_target<shape_of<Gamma>, shape_of<Operand>>::fits ||
                      detail::broadcast_target<shape_of<Beta>, shape_of<Operand>>::fits,
                  "ashlar: layer_norm: beta must broadcast to the shape of x; give it the last axis");
    if constexpr (detail::broadcast_target<shape_of<Gamma>, shape_of<Operand>>::fits &&
                  detail::broadcast_target<shape_of<Beta>, shape_of<Operand>>::fits)
        return detail::elementwise(detail::plus_function{},
                                   detail::elementwise(detail::times_function{},
                                                       layer_norm(std::forward<Operand>(x), eps),
                                                       std::forward<Gamma>(gamma)),
                                   std::forward<Beta>(beta));
    else
        return detail::refused<detail::floating_or_float<element_of<Operand>>, shape_of<Operand>>();
}

template <any_expression Operand, std::integral Number>
[[nodiscard]] constexpr auto layer_norm(Operand&&, Number) noexcept {
    return detail::refused_epsilon<Operand, Number>();
}
template <any_expression Operand, any_expression Gamma, any_expression Beta, std::integral Number>
[[nodiscard]] constexpr auto layer_norm(Operand&&, Gamma&&, Beta&&, Number) noexcept {
    return detail::refused_epsilon<Operand, Number>();
}

/// x / sqrt(mean(x * x) + eps) along the last axis (Zhang and Sennrich 2019), lazily: x's shape. Floating point, rank 1
/// at least. Rows whose squares overflow, from 1e19 in float, give 0, as in PyTorch.
template <any_expression Operand>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto rms_norm(Operand&& x, double eps = 1e-5) noexcept {
    return detail::standardize<standardize_kind::root_mean_square>(std::forward<Operand>(x), eps);
}

/// The same times gamma, which broadcasts to x.
///
///     auto y = rms_norm(x, gamma, 1e-6);   // gamma: tensor<float, head>
template <any_expression Operand, any_expression Gamma>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto rms_norm(Operand&& x, Gamma&& gamma, double eps = 1e-5) noexcept {
    static_assert(detail::broadcast_target<shape_of<Gamma>, shape_of<Operand>>::fits,
                  "ashlar: rms_norm: gamma must broadcast to the shape of x; give it the last axis");
    if constexpr (detail::broadcast_target<shape_of<Gamma>, shape_of<Operand>>::fits)
        return detail::elementwise(detail::times_function{}, rms_norm(std::forward<Operand>(x), eps),
                                   std::forward<Gamma>(gamma));
    else
        return detail::refused<detail::floating_or_float<element_of<Operand>>, shape_of<Operand>>();
}

template <any_expression Operand, std::integral Number>
[[nodiscard]] constexpr auto rms_norm(Operand&&, Number) noexcept {
    return detail::refused_epsilon<Operand, Number>();
}
template <any_expression Operand, any_expression Gamma, std::integral Number>
[[nodiscard]] constexpr auto rms_norm(Operand&&, Gamma&&, Number) noexcept {
    return detail::refused_epsilon<Operand, Number>();
}

}  // namespace ashlar
