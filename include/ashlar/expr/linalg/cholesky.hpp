// SPDX-License-Identifier: BSL-1.0
// Cholesky factors of small symmetric positive definite matrices.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/linalg/solve.hpp>
#include <ashlar/expr/shape/permute.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/expr/shape/slice.hpp>

namespace ashlar::inline v0_1 {

/// The lower triangular L with matmul(L, transpose(L)) = a of each symmetric positive definite matrix [..., N, N] with
/// N up to 32, lazily; zeros above its diagonal. Only the lower triangle of a is read. The axes before the last two are
/// batch axes. About 1/3 * N^3 operations. If a is not positive definite, L is NaN from the first such column on: see
/// is_positive_definite. Other operands do not compile: "linear algebra: the last two axes must have the same extent",
/// "at most 32 rows", "the elements must be floating-point numbers".
///
///     tensor<float, 3, 3> l = cholesky(identity<float, 3>() * 4.0f);
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto cholesky(Expression&& a) noexcept {
    using from = shape_of<Expression>;
    if constexpr (detail::check_square<Expression>())
        return detail::make_matrix_function<matrix_kind::cholesky, from>(std::forward<Expression>(a));
    else
        return detail::refused<detail::floating_or_float<element_of<Expression>>, from>();
}

/// The x for which matmul(matmul(l, transpose(l)), x) is b, lazily, given l = cholesky(a): 2 * N^2 operations per
/// right-hand side. Shapes and errors are those of solve. l is read twice: evaluate it,
/// or name it by let. For a single use of a, solve_spd(a, b) is faster.
///
///     tensor<float, 3> x = cholesky_solve(l, tensor<float, 3>{1, 2, 3});
template <any_expression Left, any_expression Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto cholesky_solve(const Left& l, Right&& b) noexcept {
    return solve_upper(transpose(l), solve_lower(l, std::forward<Right>(b)));
}

/// Whether each symmetric matrix [..., N, N] is positive definite, lazily: true where its Cholesky factor exists. Reads
/// the lower triangle, and costs what cholesky does; errors are the same. Not with -ffast-math, which has no NaN.
///
///     if (is_positive_definite(p)) x = solve_spd(p, b);
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto is_positive_definite(Expression&& a) noexcept {
    using from = shape_of<Expression>;
    if constexpr (detail::check_square<Expression>()) {
        constexpr std::size_t last = from::extents[from::rank - 1] - 1;
        // A pivot that is not positive makes everything after it NaN.
        return squeeze<-1>(squeeze<-1>(slice<-1, last, last + 1>(
                   slice<-2, last, last + 1>(cholesky(std::forward<Expression>(a)))))) > element_of<Expression>(0);
    } else {
        return detail::refused<bool, decltype(detail::batch_axes<from>())>();
    }
}

template <auto... Given>
void cholesky(detail::refused_linalg_call, detail::any_argument = {});
template <auto... Given>
void cholesky_solve(detail::refused_linalg_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void is_positive_definite(detail::refused_linalg_call, detail::any_argument = {});

}  // namespace ashlar
