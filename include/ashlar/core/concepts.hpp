// SPDX-License-Identifier: BSL-1.0
// What counts as an element, an expression and an array in memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <ashlar/core/shape.hpp>

namespace ashlar {

/// A type that tensors can hold: floating point in full; bool and integers for masks, indices and comparisons.
template <class T>
concept element = (!__is_class(T)) && std::is_arithmetic_v<std::remove_cv_t<T>>;

/// Anything with a shape and elements: a tensor, a view or a lazy node.
template <class E>
concept expression = requires {
    typename std::remove_cvref_t<E>::shape_type;
    typename std::remove_cvref_t<E>::value_type;
    typename std::remove_cvref_t<E>::expression_category;
};

/// Marks (as expression_category) types whose elements lie in memory at constant strides: tensors and views.
struct array_category {};
/// Marks lazy nodes.
struct node_category {};

/// A tensor or view: data() and static strides.
template <class E>
concept array_expression =
    expression<E> && std::same_as<typename std::remove_cvref_t<E>::expression_category, array_category>;

/// A lazy node.
template <class E>
concept node_expression =
    expression<E> && std::same_as<typename std::remove_cvref_t<E>::expression_category, node_category>;

/// The shape of an expression, a `shape<...>`.
template <expression E>
using shape_of = typename std::remove_cvref_t<E>::shape_type;

/// The element type of an expression, without const.
template <expression E>
using element_of = std::remove_cv_t<typename std::remove_cvref_t<E>::value_type>;

/// Whether two expressions can meet in an elementwise operation: NumPy's rule, and no two different names.
template <class A, class B>
concept broadcastable = expression<A> && expression<B> && detail::shapes_broadcast<shape_of<A>, shape_of<B>>();

}  // namespace ashlar
