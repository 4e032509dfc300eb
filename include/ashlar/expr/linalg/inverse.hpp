// SPDX-License-Identifier: BSL-1.0
// Inverses and determinants of small square matrices.
#pragma once

#include <utility>

#include <ashlar/expr/linalg/square_matrix.hpp>

namespace ashlar::inline v0_1 {

/// The inverse of each matrix [..., N, N] with N up to 32, lazily, by elimination with partial pivoting. The axes
/// before the last two are batch axes. Names: the last two change places, as a times its inverse is [rows, rows]. About
/// 8/3 * N^3 operations. The inverse of a singular matrix has infinities or NaN; in a constant expression it does not
/// compile. Other operands do not compile: "linear algebra: the last two axes must have the same extent", "at most 32
/// rows", "the elements must be floating-point numbers". solve(a, b) is faster and more accurate than
/// matmul(inverse(a), b).
///
///     tensor<float, 3, 3> s = inverse(identity<float, 3>() * 2.0f);
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto inverse(Expression&& a) noexcept {
    using from = shape_of<Expression>;
    if constexpr (detail::check_square<Expression>())
        return detail::make_matrix_function<matrix_kind::inverse, decltype(detail::exchanged_axes<from>())>(
            std::forward<Expression>(a));
    else
        return detail::refused<detail::floating_or_float<element_of<Expression>>, from>();
}

/// The determinant of each matrix [..., N, N] with N up to 32, lazily: [...], rank 0 for a single matrix. By
/// elimination with partial pivoting; 0 for a singular matrix whose elimination is exact. About 2/3 * N^3 operations.
/// Other operands do not compile: "linear algebra: the last two axes must have the same extent", "at most 32 rows",
/// "the elements must be floating-point numbers".
///
///     float volume = det(identity<float, 3>());
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto det(Expression&& a) noexcept {
    using from = shape_of<Expression>;
    if constexpr (detail::check_square<Expression>())
        return detail::make_matrix_function<matrix_kind::determinant, decltype(detail::batch_axes<from>())>(
            std::forward<Expression>(a));
    else
        return detail::refused<detail::floating_or_float<element_of<Expression>>,
                               decltype(detail::batch_axes<from>())>();
}

template <auto... Given>
void inverse(detail::refused_linalg_call, detail::any_argument = {});
template <auto... Given>
void det(detail::refused_linalg_call, detail::any_argument = {});

}  // namespace ashlar
