// SPDX-License-Identifier: BSL-1.0
// Systems of linear equations with small square matrices.
#pragma once

#include <utility>

#include <ashlar/expr/linalg/square_matrix.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Whether the rows of a matrix and of its right-hand side are the same axis.
template <auto Matrix, auto RightHandSide>
struct solve_rows {
    static constexpr bool agree = dimensions_agree(Matrix, RightHandSide);
};
template <class Shape>
struct right_hand_side {
    static constexpr bool has_rows = Shape::rank > 0;
};

/// [..., rows, columns] and [..., rows, M] give [..., columns, M].
template <matrix_kind Function, class Left, class Right>
ASHLAR_ALWAYS_INLINE constexpr auto make_solve(Left&& a, Right&& b) noexcept {
    using shape = decltype(matmul_shape<decltype(exchanged_axes<shape_of<Left>>()), shape_of<Right>>());
    return matrix_node<Function, shape, held<Left>, held<Right>>{
        {{}, {{hold(std::forward<Left>(a))}, {hold(std::forward<Right>(b))}}}};
}

/// Whether all of them agree; solve_with says what does not.
template <class Left, class Right>
consteval bool sides_fit() {
    using left = shape_of<Left>;
    using right = shape_of<Right>;
    if constexpr (!element_types<element_of<Left>, element_of<Right>>::same || !right_hand_side<right>::has_rows)
        return false;
    else
        return solve_rows<dimension_at<left, left::rank - 2>, right_rows<right>>::agree &&
               matmul_batch_axes<decltype(batch_axes<left>()), decltype(batch_axes<right>())>::broadcast;
}

template <matrix_kind Function, class Left, class Right>
ASHLAR_ALWAYS_INLINE constexpr auto solve_with(Left&& a, Right&& b) noexcept {
    using left = shape_of<Left>;
    using right = shape_of<Right>;
    constexpr bool square = check_square<Left>();
    constexpr bool same = element_types<element_of<Left>, element_of<Right>>::same;
    static_assert(!square || element_types<element_of<Left>, element_of<Right>>::same,
                  "ashlar: solve: the element types must be the same; use cast<T>(x)");
    static_assert(!square || right_hand_side<right>::has_rows,
                  "ashlar: solve: the right-hand side must have an axis; divide by a number with /");
    if constexpr (!square || !same || !right_hand_side<right>::has_rows) {
        return refused<floating_or_float<element_of<Left>>, right>();
    } else {
        constexpr auto rows = dimension_at<left, left::rank - 2>;
        static_assert(solve_rows<rows, right_rows<right>>::agree,
                      "ashlar: solve: the rows of the right-hand side must be the rows of the matrix; transpose, "
                      "unsqueeze or rename one of them");
        using left_batch = decltype(batch_axes<left>());
        using right_batch = decltype(batch_axes<right>());
        static_assert(!solve_rows<rows, right_rows<right>>::agree ||
                          matmul_batch_axes<left_batch, right_batch>::broadcast,
                      "ashlar: solve: the batch axes, those before the last two, must broadcast; unsqueeze or rename "
                      "one of them");
        if constexpr (!sides_fit<Left, Right>())
            return refused<floating_or_float<element_of<Left>>, right>();
        else if constexpr (right::rank == 1)
            return squeeze<-1>(make_solve<Function>(std::forward<Left>(a), unsqueeze<1>(std::forward<Right>(b))));
        else
            return make_solve<Function>(std::forward<Left>(a), std::forward<Right>(b));
    }
}

}  // namespace detail

/// The x for which matmul(a, x) is b, lazily, by elimination with partial pivoting. a is [..., N, N] with N up to 32; b
/// is a vector [N], or [..., N, M] with M right-hand sides as columns. The axes before the last two are batch axes and
/// broadcast; write unsqueeze<-1>(b) for a batch of vectors. Names: the rows must agree; x has the columns of a, then
/// those of b. About 2/3 * N^3 + 2 * M * N^2 operations. If a is singular, x has infinities or NaN; in a constant
/// expression that does not compile. Other operands do not compile: "solve: the rows of the right-hand side must be the
/// rows of the matrix", "the batch axes ... must broadcast", "the element types must be the same", and as for inverse.
///
///     tensor<float, 3> x = solve(identity<float, 3>(), tensor<float, 3>{1, 2, 3});
template <any_expression Left, any_expression Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto solve(Left&& a, Right&& b) noexcept {
    return detail::solve_with<matrix_kind::solve>(std::forward<Left>(a), std::forward<Right>(b));
}

/// The x for which matmul(a, x) is b, lazily, for symmetric positive definite a: by its Cholesky factor, without
/// pivoting, in about 1/3 * N^3 + 2 * M * N^2 operations. Only the lower triangle of a is read. Shapes and errors are
/// those of solve. If a is not positive definite, x is NaN: see is_positive_definite.
///
///     auto gain = transpose(solve_spd(s, matmul(h, p)));   // of a Kalman filter: p h^T s^-1
template <any_expression Left, any_expression Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto solve_spd(Left&& a, Right&& b) noexcept {
    return detail::solve_with<matrix_kind::solve_spd>(std::forward<Left>(a), std::forward<Right>(b));
}

/// The x for which matmul(l, x) is b, lazily, for lower triangular l: only its lower triangle is read. N^2 operations
/// per right-hand side. Shapes and errors are those of solve. A zero on the diagonal gives infinities or NaN.
///
///     tensor<float, 3> y = solve_lower(l, tensor<float, 3>{1, 2, 3});
template <any_expression Left, any_expression Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto solve_lower(Left&& l, Right&& b) noexcept {
    return detail::solve_with<matrix_kind::solve_lower>(std::forward<Left>(l), std::forward<Right>(b));
}

/// The x for which matmul(u, x) is b, lazily, for upper triangular u: only its upper triangle is read. Cost, shapes and
/// errors are those of solve_lower.
///
///     tensor<float, 3> x = solve_upper(transpose(l), tensor<float, 3>{1, 2, 3});
template <any_expression Left, any_expression Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto solve_upper(Left&& u, Right&& b) noexcept {
    return detail::solve_with<matrix_kind::solve_upper>(std::forward<Left>(u), std::forward<Right>(b));
}

template <auto... Given>
void solve(detail::refused_linalg_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void solve_spd(detail::refused_linalg_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void solve_lower(detail::refused_linalg_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void solve_upper(detail::refused_linalg_call, detail::any_argument = {}, detail::any_argument = {});

}  // namespace ashlar
