// SPDX-License-Identifier: BSL-1.0
// Expressions that are viewed in place instead of becoming the operand of a node.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::detail {

/// The element type of a viewable argument, const if it must not be written.
template <class Expression>
using memory_element = std::remove_pointer_t<decltype(std::declval<std::remove_reference_t<Expression>&>().data())>;

/// A named tensor, or any view, whose elements can be written.
template <class Expression>
concept writable = viewable<Expression> && !std::is_const_v<memory_element<Expression>>;

/// The argument unchanged: memory as a view, anything else as a node holds it.
template <any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto itself(Expression&& e) noexcept {
    if constexpr (viewable<Expression>)
        return make_view<memory_element<Expression>, shape_of<Expression>, std::remove_cvref_t<Expression>::strides>(
            e.data());
    else
        return hold(std::forward<Expression>(e));
}

/// The result of a refused shape operation. For memory it is a view, so that code that reads or writes it still
/// compiles.
template <class Shape, any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto refused_shape([[maybe_unused]] Expression&& e) noexcept {
    if constexpr (viewable<Expression>)
        return make_view<memory_element<Expression>, Shape, row_major_strides(Shape::extents)>(e.data());
    else
        return refused<element_of<Expression>, Shape>();
}

/// A copy of a node's operand, so that an owned tensor stays owned.
template <class Operand>
ASHLAR_ALWAYS_INLINE constexpr Operand owned(const Operand& operand) noexcept {
    return operand;
}

template <class Shape, auto Axes, class Indices = std::make_index_sequence<Axes.size()>>
struct dimensions_selected;
template <class Shape, auto Axes, std::size_t... Index>
struct dimensions_selected<Shape, Axes, std::index_sequence<Index...>> {
    using type = shape<dimension_at<Shape, Axes[Index]>...>;
};

/// The shape of the dimensions at the given positions.
template <class Shape, auto Axes>
using selected_dimensions = typename dimensions_selected<Shape, Axes>::type;

}  // namespace ashlar::detail
