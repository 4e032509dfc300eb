// SPDX-License-Identifier: BSL-1.0
// The concepts of elements, expressions and arrays in memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <ashlar/core/narrow_float.hpp>
#include <ashlar/core/shape.hpp>

namespace ashlar::inline v0_1 {

/// A type that tensors can hold: floating point in full; f16 and bf16 as storage; bool and integers for masks, indices
/// and comparisons.
template <class Type>
concept any_element =
    ((!__is_class(Type)) && std::is_arithmetic_v<std::remove_cv_t<Type>>) || detail::is_narrow<std::remove_cv_t<Type>>;

/// Anything with a shape and elements: a tensor, a view or a lazy node.
template <class Expression>
concept any_expression = requires {
    typename std::remove_cvref_t<Expression>::shape_type;
    typename std::remove_cvref_t<Expression>::value_type;
    typename std::remove_cvref_t<Expression>::expression_category;
};

/// Marks (as expression_category) types whose elements are in memory at constant strides: tensors and views.
struct array_category {};
/// Marks lazy nodes.
struct node_category {};

/// A tensor or view: data() and static strides.
template <class Expression>
concept array_expression = any_expression<Expression> &&
                           std::same_as<typename std::remove_cvref_t<Expression>::expression_category, array_category>;

/// A lazy node.
template <class Expression>
concept node_expression = any_expression<Expression> &&
                          std::same_as<typename std::remove_cvref_t<Expression>::expression_category, node_category>;

/// The shape of an expression, a `shape<...>`.
///
///     static_assert(shape_of<decltype(matmul(tensor<float, 2, 3>{}, tensor<float, 3, 4>{}))>::extents[1] == 4);
template <any_expression Expression>
using shape_of = typename std::remove_cvref_t<Expression>::shape_type;

/// The element type of an expression, without const. Of memory with elements of f16 and bf16 it is float, in which they
/// are read; `value_type` is what lies there.
///
///     static_assert(std::is_same_v<element_of<const tensor<float, 4>&>, float>);
///     static_assert(std::is_same_v<element_of<decltype(tensor<float, 4>{} < 1.0f)>, bool>);
///     static_assert(std::is_same_v<element_of<tensor<bf16, 4>>, float>);
template <any_expression Expression>
using element_of = detail::computed<std::remove_cv_t<typename std::remove_cvref_t<Expression>::value_type>>;

/// Whether two expressions can be operands of one elementwise operation: NumPy's rule, and no two different names.
template <class Left, class Right>
concept broadcastable =
    any_expression<Left> && any_expression<Right> && detail::shapes_broadcast<shape_of<Left>, shape_of<Right>>();

namespace detail {

/// The expression that is planned for Type: itself, or the one that an evaluation into a state holds.
template <class Type>
struct planned_expression {
    using type = Type;
};
template <class Type>
    requires requires { typename Type::state_type; }
struct planned_expression<Type> {
    using type = typename Type::expression_type;
};
template <class Type>
using planned_by = typename planned_expression<std::remove_cvref_t<Type>>::type;

/// Types that have a plan, flops and workspace_bytes.
template <class Type>
concept plannable = any_expression<planned_by<Type>>;

}  // namespace detail
}  // namespace ashlar
