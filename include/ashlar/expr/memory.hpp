// SPDX-License-Identifier: BSL-1.0
// What can be viewed in place instead of becoming the operand of a node.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/operands.hpp>
#include <ashlar/expr/refused.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::detail {

/// The element type of a viewable argument, const where it must not be written.
template <class E>
using memory_element = std::remove_pointer_t<decltype(std::declval<std::remove_reference_t<E>&>().data())>;

/// A named tensor, or any view, whose elements can be written.
template <class E>
concept writable = viewable<E> && !std::is_const_v<memory_element<E>>;

/// The argument unchanged: a view of memory, as a node holds it otherwise.
template <expression E>
ASHLAR_ALWAYS_INLINE constexpr auto itself(E&& e) noexcept {
    if constexpr (viewable<E>)
        return make_view<memory_element<E>, shape_of<E>, std::remove_cvref_t<E>::strides>(e.data());
    else
        return hold(std::forward<E>(e));
}

/// What a refused shape operation returns: of memory a view, so that it can be read and written where that was meant.
template <class Shape, expression E>
ASHLAR_ALWAYS_INLINE constexpr auto refused_shape([[maybe_unused]] E&& e) noexcept {
    if constexpr (viewable<E>)
        return make_view<memory_element<E>, Shape, row_major_strides(Shape::extents)>(e.data());
    else
        return refused<element_of<E>, Shape>();
}

/// A copy of a node's operand, so that an owned tensor stays owned.
template <class Operand>
ASHLAR_ALWAYS_INLINE constexpr Operand owned(const Operand& operand) noexcept {
    return operand;
}

template <class Shape, auto Axes, class Indices = std::make_index_sequence<Axes.size()>>
struct dimensions_selected;
template <class Shape, auto Axes, std::size_t... I>
struct dimensions_selected<Shape, Axes, std::index_sequence<I...>> {
    using type = shape<dimension_at<Shape, Axes[I]>...>;
};

/// The shape of the dimensions at the given positions.
template <class Shape, auto Axes>
using selected_dimensions = typename dimensions_selected<Shape, Axes>::type;

}  // namespace ashlar::detail
