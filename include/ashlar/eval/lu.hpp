// SPDX-License-Identifier: BSL-1.0
// LU factors of small square matrices.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/linalg/square_matrix.hpp>

namespace ashlar::inline v0_1 {

/// The result of lu: the factors of matrices, and the order of their rows.
///
///     auto [factors, rows] = lu(identity<float, 3>());
template <class Factors, class Rows>
struct lu_result {
    Factors factors;
    Rows rows;
};

namespace detail {

/// The shape without its last axis.
template <class Shape>
consteval auto without_last_axis() {
    return build_shape<(Shape::rank == 0 ? 0 : Shape::rank - 1)>(
        []<std::size_t Place>() { return dimension_at<Shape, Place>; });
}

}  // namespace detail

/// The factors of each matrix [..., N, N] with N up to 32, by elimination with partial pivoting: `factors`, [..., N,
/// N], has U in its upper triangle and L below, without the ones of its diagonal; row i of L U is row `rows(i)` of a,
/// where `rows` is [..., N] of std::int32_t. Evaluated here and now; an expression is evaluated first, by the rules of
/// `eval`. The axes before the last two are batch axes. About 2/3 * N^3 operations. Of a singular matrix U has a zero
/// on its diagonal. Other operands do not compile: see inverse. SciPy's lu_factor gives row exchanges instead of
/// `rows`.
///
///     auto [factors, rows] = lu(identity<float, 3>());
template <any_expression Expression, class Config = current_config>
[[nodiscard]] constexpr auto lu(const Expression& a) noexcept {
    using from = shape_of<Expression>;
    if constexpr (detail::check_square<Expression>()) {
        lu_result<typename detail::dense_tensor<element_of<Expression>, from>::type,
                  typename detail::dense_tensor<std::int32_t, decltype(detail::without_last_axis<from>())>::type>
            result{};
        using node = lu_node<detail::held<const Expression&>>;
        detail::assign<Config, detail::destination_memory::fresh>(result.factors,
                                                                  node{{{}, {{detail::hold(a)}}}, result.rows.data()});
        return result;
    } else {
        using matrix = typename detail::dense_tensor<detail::floating_or_float<element_of<Expression>>, from>::type;
        return lu_result<
            matrix, typename detail::dense_tensor<std::int32_t, decltype(detail::without_last_axis<from>())>::type>{};
    }
}

template <auto... Given>
void lu(detail::refused_linalg_call, detail::any_argument = {});

}  // namespace ashlar
