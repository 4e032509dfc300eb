// SPDX-License-Identifier: BSL-1.0
// Operations that combine arrays: concat, stack, take and repeat.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/viewable.hpp>
#include <ashlar/expr/shape/reshape.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

template <std::size_t Axis, class Left, class Right>
consteval auto concat_two() {
    return build_shape<Left::rank>([]<std::size_t Place>() {
        if constexpr (Place == Axis)
            return Left::extents[Place] + Right::extents[Place];
        else
            return merge_dimensions<dimension_at<Left, Place>, dimension_at<Right, Place>>();
    });
}

/// The shape of the concatenation, up to the first part that does not fit.
template <std::size_t Axis, class Left, class... Rest>
struct concat_result {
    using type = Left;
    using left = Left;
    using right = Left;
};
template <std::size_t Axis, class Left, class Right, class... Rest>
struct concat_result<Axis, Left, Right, Rest...> {
    using type = Left;
    using left = Left;
    using right = Right;
};
template <std::size_t Axis, class Left, class Right, class... Rest>
    requires(concatenated_shapes<Axis, Left, Right>::agree)
struct concat_result<Axis, Left, Right, Rest...>
    : concat_result<Axis, decltype(concat_two<Axis, Left, Right>()), Rest...> {};

/// The first shape that differs from that of the first part.
template <class First, class... Rest>
struct stack_clash {
    using type = First;
};
template <class First, class Second, class... Rest>
struct stack_clash<First, Second, Rest...>
    : std::conditional_t<shapes_agree<First, Second>(), stack_clash<First, Rest...>, stack_clash<Second>> {};

}  // namespace detail

/// Joins the parts along an axis; on the other axes they must agree. The axis loses its name, the others take one from
/// any part. Lazy; a single part is returned unchanged.
///
///     auto both = concat<seq>(past, now);   // [48, head] and [16, head] as [64, head]
template <auto Axis, any_expression First, any_expression... Rest>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto concat(First&& first, Rest&&... rest) noexcept {
    using Element = element_of<First>;
    using other = typename detail::other_element<Element, Rest...>::type;
    constexpr bool found = detail::axis_argument<Axis, shape_of<First>>::found;
    static_assert(detail::axis_argument<Axis, shape_of<First>>::found,
                  "ashlar: concat: the axis must be a position or a named axis that occurs once in the first shape");
    static_assert(detail::element_types<Element, other>::same,
                  "ashlar: concat: the element types must be the same; use cast<T>(x)");
    if constexpr (!found || !std::is_same_v<Element, other>) {
        return detail::refused<Element, shape_of<First>>();
    } else if constexpr (sizeof...(Rest) == 0) {
        return detail::itself(std::forward<First>(first));
    } else {
        constexpr std::size_t axis = detail::axis_position<shape_of<First>, Axis>();
        using result = detail::concat_result<axis, shape_of<First>, shape_of<Rest>...>;
        using agreement = detail::concatenated_shapes<axis, typename result::left, typename result::right>;
        static_assert(detail::concatenated_shapes<axis, typename result::left, typename result::right>::agree,
                      "ashlar: concat: the parts must have the same rank and agree on every axis but the one they are "
                      "joined along; reshape or rename one");
        if constexpr (agreement::agree)
            return concat_node<axis, typename result::type, detail::held<First>, detail::held<Rest>...>{
                {{}, {{detail::hold(std::forward<First>(first))}, {detail::hold(std::forward<Rest>(rest))}...}}};
        else
            return detail::refused<Element, typename result::type>();
    }
}

/// Joins parts of one shape along a new axis at position Axis of the result (negative counts from its end). Its extent
/// is the number of parts. Lazy.
///
///     auto pair = stack<0>(left, right);   // two of [64] as [2, 64]
template <std::ptrdiff_t Axis, any_expression First, any_expression... Rest>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto stack(First&& first, Rest&&... rest) noexcept {
    using from = shape_of<First>;
    using clash = typename detail::stack_clash<from, shape_of<Rest>...>::type;
    constexpr bool placed = detail::new_axis_position<Axis, from::rank + 1>::valid;
    constexpr bool agree = detail::stacked_shapes<from, clash>::agree;
    static_assert(detail::new_axis_position<Axis, from::rank + 1>::valid,
                  "ashlar: stack: the position must be one of the result's, whose rank is one more");
    static_assert(detail::stacked_shapes<from, clash>::agree,
                  "ashlar: stack: the parts must have the same shape; concat joins along an axis they have");
    if constexpr (placed && agree)
        return concat<Axis>(unsqueeze<Axis>(std::forward<First>(first)), unsqueeze<Axis>(std::forward<Rest>(rest))...);
    else
        return detail::refused<element_of<First>,
                               decltype(detail::inserted_dimension<from, 0, 1 + sizeof...(Rest)>())>();
}

namespace detail {

/// The table's shape with one axis replaced by the axes of the indices.
template <std::size_t Axis, class Table, class Indices>
consteval auto taken_shape() {
    return build_shape<Table::rank + Indices::rank - 1>([]<std::size_t Place>() {
        if constexpr (Place < Axis)
            return dimension_at<Table, Place>;
        else if constexpr (Place < Axis + Indices::rank)
            return dimension_at<Indices, Place - Axis>;
        else
            return dimension_at<Table, Place - Indices::rank + 1>;
    });
}

/// Repeats each entry along an axis Times times: entry i of the result is entry i / Times of e. Lazy.
template <auto Axis, std::size_t Times, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto repeat(Expression&& e) noexcept {
    if constexpr (Times == 1) {
        return itself(std::forward<Expression>(e));
    } else {
        constexpr std::size_t axis = axis_position<shape_of<Expression>, Axis>();
        using result =
            decltype(with_dimension<shape_of<Expression>, axis, shape_of<Expression>::extents[axis] * Times>());
        return repeat_node<axis, Times, result, held<Expression>>{{{}, {{hold(std::forward<Expression>(e))}}}};
    }
}

}  // namespace detail

/// Picks entries of a table along an axis by integer indices; the axes of the indices replace that axis. Indices must
/// be at least 0 and less than the extent (asserted where elements are read). Lazy.
///
///     auto embedded = take<0>(embedding, tokens);   // [vocabulary, 64] and [32] as [32, 64]
template <auto Axis = 0, any_expression Table, any_expression Indices>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto take(Table&& table, Indices&& indices) noexcept {
    constexpr bool found = detail::axis_argument<Axis, shape_of<Table>>::found;
    constexpr bool integers = detail::index_elements<element_of<Indices>>::are_integers;
    static_assert(detail::axis_argument<Axis, shape_of<Table>>::found,
                  "ashlar: take: the axis must be a position or a named axis that occurs once in the table's shape");
    static_assert(detail::index_elements<element_of<Indices>>::are_integers,
                  "ashlar: take: the indices must be integers; use cast<int>(x)");
    if constexpr (found && integers) {
        constexpr std::size_t axis = detail::axis_position<shape_of<Table>, Axis>();
        return take_node<axis, decltype(detail::taken_shape<axis, shape_of<Table>, shape_of<Indices>>()),
                         detail::held<Table>, detail::held<Indices>>{
            {{}, {{detail::hold(std::forward<Table>(table))}, {detail::hold(std::forward<Indices>(indices))}}}};
    } else {
        return detail::refused<element_of<Table>, shape_of<Table>>();
    }
}

}  // namespace ashlar
