// SPDX-License-Identifier: BSL-1.0
// Axes in another order: views of memory, otherwise nodes.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/viewable.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

template <auto Permutation>
consteval bool is_identity() {
    for (std::size_t i = 0; i < Permutation.size(); ++i)
        if (Permutation[i] != i) return false;
    return true;
}

/// Two permutations in one: axis i of the result is axis inner[outer[i]] of the source.
template <std::size_t Rank>
consteval std::array<std::size_t, Rank> composed(const std::array<std::size_t, Rank>& inner,
                                                 const std::array<std::size_t, Rank>& outer) {
    std::array<std::size_t, Rank> all{};
    for (std::size_t i = 0; i < Rank; ++i) all[i] = inner[outer[i]];
    return spelled_out(all);
}

template <std::size_t Rank>
consteval std::array<std::ptrdiff_t, Rank> permuted(const std::array<std::ptrdiff_t, Rank>& strides,
                                                    const std::array<std::size_t, Rank>& permutation) {
    std::array<std::ptrdiff_t, Rank> result{};
    for (std::size_t i = 0; i < Rank; ++i) result[i] = strides[permutation[i]];
    return spelled_out(result);
}

/// The permutation that exchanges the last two axes.
template <std::size_t Rank>
consteval std::array<std::size_t, Rank> last_two_exchanged() {
    std::array<std::size_t, Rank> permutation{};
    for (std::size_t i = 0; i < Rank; ++i) permutation[i] = i + 2 < Rank ? i : 2 * Rank - 3 - i;
    return spelled_out(permutation);
}

template <class Expression>
inline constexpr bool is_permute_node = false;
template <auto Permutation, class Shape, class Expression>
inline constexpr bool is_permute_node<permute_node<Permutation, Shape, Expression>> = true;

template <auto Permutation, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto permute_by(Expression&& e) noexcept;

template <auto Outer, auto Inner, class Shape, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto permute_again(const permute_node<Inner, Shape, Expression>& node) noexcept {
    return permute_by<composed(Inner, Outer)>(owned(node.template operand<0>()));
}

/// Axis i of the result is axis Permutation[i] of e.
template <auto Permutation, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto permute_by(Expression&& e) noexcept {
    using plain = std::remove_cvref_t<Expression>;
    if constexpr (is_identity<Permutation>()) {
        return itself(std::forward<Expression>(e));
    } else if constexpr (viewable<Expression>) {
        return make_view<memory_element<Expression>, selected_dimensions<shape_of<Expression>, Permutation>,
                         permuted(plain::strides, Permutation)>(e.data());
    } else if constexpr (is_permute_node<plain>) {
        return permute_again<Permutation>(e);
    } else {
        return permute_node<Permutation, selected_dimensions<shape_of<Expression>, Permutation>, held<Expression>>{
            {{}, {{hold(std::forward<Expression>(e))}}}};
    }
}

}  // namespace detail

/// Reorders the axes: axis i of the result is axis Axes[i] of e. Names move with their axes. A view for tensors and
/// views (a named tensor can be written through it); lazy otherwise.
///
///     auto by_head = permute<1, 0, 2>(x);   // [seq, heads, dim] as [heads, seq, dim]
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto permute(Expression&& e) noexcept {
    constexpr bool valid = detail::permutation_of<shape_of<Expression>, Axes...>::valid;
    static_assert(detail::permutation_of<shape_of<Expression>, Axes...>::valid,
                  "ashlar: permute: the arguments must name every axis of the shape once; list all of them");
    if constexpr (valid)
        return detail::permute_by<std::array<std::size_t, sizeof...(Axes)>{
            detail::axis_position<shape_of<Expression>, Axes>()...}>(std::forward<Expression>(e));
    else
        return detail::refused<element_of<Expression>, shape_of<Expression>>();
}

/// Exchanges the last two axes, as for the right operand of a matrix product; ranks 0 and 1 are unchanged. A view for
/// tensors and views (a named tensor can be written through it); lazy otherwise.
///
///     auto scores = matmul(q, transpose(k));
///     transpose(t) = u;
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto transpose(Expression&& e) noexcept {
    if constexpr (shape_of<Expression>::rank < 2)
        return detail::itself(std::forward<Expression>(e));
    else
        return detail::permute_by<detail::last_two_exchanged<shape_of<Expression>::rank>()>(
            std::forward<Expression>(e));
}

}  // namespace ashlar
