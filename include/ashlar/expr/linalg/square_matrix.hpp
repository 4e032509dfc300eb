// SPDX-License-Identifier: BSL-1.0
// The rules that all functions of square matrices share.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/products/matmul.hpp>

namespace ashlar::inline v0_1::detail {

/// Matrices up to this order are solved by loops over registers; larger ones want blocks and a cache.
inline constexpr std::size_t most_matrix_rows = 32;

/// Whether the last two axes of a shape are those of a square matrix.
template <class Shape>
struct last_axes {
    static constexpr bool are_square = false;
};
template <class Shape>
    requires(Shape::rank >= 2)
struct last_axes<Shape> {
    static constexpr bool are_square = Shape::extents[Shape::rank - 2] == Shape::extents[Shape::rank - 1];
};

/// Whether a matrix is small enough.
template <auto Rows>
struct matrix_rows {
    static constexpr bool are_few = extent_of(Rows) >= 1 && extent_of(Rows) <= most_matrix_rows;
};

/// Checks the operand of a function of square matrices. Each broken rule is one error.
template <class Expression>
consteval bool check_square() {
    using from = shape_of<Expression>;
    static_assert(floating_elements<element_of<Expression>>::given,
                  "ashlar: linear algebra: the elements must be floating-point numbers; use cast<float>(x)");
    static_assert(last_axes<from>::are_square,
                  "ashlar: linear algebra: the last two axes must have the same extent, as those of a square matrix; "
                  "slice it, or solve the normal equations");
    if constexpr (last_axes<from>::are_square) {
        static_assert(matrix_rows<dimension_at<from, from::rank - 1>>::are_few,
                      "ashlar: linear algebra: a matrix may have at most 32 rows; use a library for large matrices");
        return matrix_rows<dimension_at<from, from::rank - 1>>::are_few &&
               floating_elements<element_of<Expression>>::given;
    } else {
        return false;
    }
}

/// The node of a function of one operand.
template <matrix_kind Function, class Shape, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto make_matrix_function(Expression&& a) noexcept {
    return matrix_node<Function, Shape, held<Expression>>{{{}, {{hold(std::forward<Expression>(a))}}}};
}

/// The shape with its last two axes exchanged.
template <class Shape>
consteval auto exchanged_axes() {
    return build_shape<Shape::rank>([]<std::size_t Place>() {
        if constexpr (Place + 2 < Shape::rank)
            return dimension_at<Shape, Place>;
        else
            return dimension_at<Shape, 2 * Shape::rank - 3 - Place>;
    });
}

using refused_linalg_call = refused_call<
    "ashlar: linear algebra: takes tensors, views or expressions of square matrices, and as many as the function has; tensor_view<float, 3, 3>{memory} makes one of other memory">;

}  // namespace ashlar::detail
