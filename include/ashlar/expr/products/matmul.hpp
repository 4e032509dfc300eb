// SPDX-License-Identifier: BSL-1.0
// Matrix products: matmul as in NumPy, and the inner and outer product of vectors.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Whether both operands of matmul have an axis to multiply along.
template <class Left, class Right>
struct matmul_operands {
    static constexpr bool have_axes = Left::rank > 0 && Right::rank > 0;
};

/// Whether the batch axes, those before the last two, broadcast.
template <class Left, class Right>
struct matmul_batch_axes {
    static constexpr bool broadcast = shapes_broadcast<Left, Right>();
};

/// The axes before the last two.
template <class Shape>
consteval auto batch_axes() {
    return build_shape<(Shape::rank < 2 ? 0 : Shape::rank - 2)>(
        []<std::size_t Place>() { return dimension_at<Shape, Place>; });
}

/// The axis that matmul sums over: the columns of the left operand, the rows of the right one, or a vector's only axis.
template <class Shape>
inline constexpr auto left_columns = dimension_at<Shape, Shape::rank - 1>;
template <class Shape>
inline constexpr auto right_rows = dimension_at<Shape, (Shape::rank < 2 ? 0 : Shape::rank - 2)>;

template <class Left, class Right>
consteval bool matmul_shapes_fit() {
    if constexpr (!matmul_operands<Left, Right>::have_axes)
        return false;
    else
        return matmul_inner_axes<left_columns<Left>, right_rows<Right>>::agree &&
               matmul_batch_axes<decltype(batch_axes<Left>()), decltype(batch_axes<Right>())>::broadcast;
}

template <class Left, class Right>
consteval auto matmul_shape() {
    using batch = broadcast_shape<decltype(batch_axes<Left>()), decltype(batch_axes<Right>())>;
    return build_shape<batch::rank + 2>([]<std::size_t Place>() {
        if constexpr (Place < batch::rank)
            return dimension_at<batch, Place>;
        else if constexpr (Place == batch::rank)
            return dimension_at<Left, Left::rank - 2>;
        else
            return dimension_at<Right, Right::rank - 1>;
    });
}

/// The product of two operands of rank 2 or more that are known to fit.
template <class Left, class Right>
ASHLAR_ALWAYS_INLINE constexpr auto make_matmul(Left&& a, Right&& b) noexcept {
    return matmul_node<decltype(matmul_shape<shape_of<Left>, shape_of<Right>>()), held<Left>, held<Right>>{
        {{}, {{hold(std::forward<Left>(a))}, {hold(std::forward<Right>(b))}}}};
}

/// The most likely intended right operand where the given one does not fit.
template <class Left, class Right>
consteval auto intended_right_operand() {
    constexpr std::size_t rank = Right::rank;
    if constexpr (rank >= 2) {
        constexpr auto rows = dimension_at<Right, rank - 2>;
        constexpr auto columns = dimension_at<Right, rank - 1>;
        if constexpr (dimensions_agree(left_columns<Left>, columns))
            return with_dimension<decltype(with_dimension<Right, rank - 2, columns>()), rank - 1, rows>();
        else
            return Right{};
    } else {
        return Right{};
    }
}

/// The shape that a matmul most likely should have.
template <class Left, class Right>
consteval auto intended_matmul_shape() {
    if constexpr (!matmul_operands<Left, Right>::have_axes) {
        return typename longest_shape<Left, Right>::type{};
    } else {
        using right = std::conditional_t<matmul_inner_axes<left_columns<Left>, right_rows<Right>>::agree, Right,
                                         decltype(intended_right_operand<Left, Right>())>;
        using left_batch = decltype(batch_axes<Left>());
        using right_batch = decltype(batch_axes<right>());
        using batch = typename longest_shape<left_batch, right_batch>::type;
        constexpr std::size_t rows = Left::rank >= 2 ? 1 : 0, columns = right::rank >= 2 ? 1 : 0;
        return build_shape<batch::rank + rows + columns>([]<std::size_t Place>() {
            if constexpr (Place < batch::rank)
                return dimension_at<batch, Place>;
            else if constexpr (Place == batch::rank && rows == 1)
                return dimension_at<Left, Left::rank - 2>;
            else
                return dimension_at<right, right::rank - 1>;
        });
    }
}

}  // namespace detail

/// Whether two expressions can be multiplied: equal element types, the columns of the left are the rows of the right,
/// and the batch axes broadcast.
template <class Left, class Right>
concept matmul_compatible =
    any_expression<Left> && any_expression<Right> && detail::element_types<element_of<Left>, element_of<Right>>::same &&
    detail::matmul_shapes_fit<shape_of<Left>, shape_of<Right>>();

/// The matrix product [..., M, K] by [..., K, N], lazily: [..., M, N]. The axes before the last two are batch axes and
/// broadcast. As in NumPy, a left vector [K] is one row and a right vector [K] one column, without an axis in the
/// result; vector by vector gives rank 0. Names: the K axes must agree, the others pass to the result. 2 * M * N * K
/// operations per batch entry. Operands that do not fit do not compile: "matmul: the columns of the left operand must
/// be the rows of the right one", "the batch axes ... must broadcast", "the element types must be the same".
///
///     auto scores = matmul(q, transpose(k));   // [seq, head] by [head, seq]
template <any_expression Left, any_expression Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto matmul(Left&& a, Right&& b) noexcept {
    using left = shape_of<Left>;
    using right = shape_of<Right>;
    static_assert(detail::element_types<element_of<Left>, element_of<Right>>::same,
                  "ashlar: matmul: the element types must be the same; use cast<T>(x)");
    if constexpr (!detail::element_types<element_of<Left>, element_of<Right>>::same) {
        return detail::refused<element_of<Left>, decltype(detail::intended_matmul_shape<left, right>())>();
    } else if constexpr (!detail::matmul_operands<left, right>::have_axes) {
        static_assert(detail::matmul_operands<left, right>::have_axes,
                      "ashlar: matmul: both operands must have an axis; multiply by a scalar with *");
        return detail::refused<element_of<Left>, decltype(detail::intended_matmul_shape<left, right>())>();
    } else {
        constexpr auto columns = detail::left_columns<left>;
        constexpr auto rows = detail::right_rows<right>;
        using left_batch = decltype(detail::batch_axes<left>());
        using right_batch = decltype(detail::batch_axes<right>());
        static_assert(
            detail::matmul_inner_axes<columns, rows>::agree,
            "ashlar: matmul: the columns of the left operand must be the rows of the right one; transpose one of them?");
        static_assert(!detail::matmul_inner_axes<columns, rows>::agree ||
                          detail::matmul_batch_axes<left_batch, right_batch>::broadcast,
                      "ashlar: matmul: the batch axes, those before the last two, must broadcast; unsqueeze or rename "
                      "one of them");
        if constexpr (!matmul_compatible<Left, Right>)
            return detail::refused<element_of<Left>, decltype(detail::intended_matmul_shape<left, right>())>();
        else if constexpr (left::rank == 1 && right::rank == 1)
            return squeeze(
                detail::make_matmul(unsqueeze<0>(std::forward<Left>(a)), unsqueeze<1>(std::forward<Right>(b))));
        else if constexpr (left::rank == 1)
            return squeeze<-2>(detail::make_matmul(unsqueeze<0>(std::forward<Left>(a)), std::forward<Right>(b)));
        else if constexpr (right::rank == 1)
            return squeeze<-1>(detail::make_matmul(std::forward<Left>(a), unsqueeze<1>(std::forward<Right>(b))));
        else
            return detail::make_matmul(std::forward<Left>(a), std::forward<Right>(b));
    }
}

namespace detail {

template <class Left, class Right>
struct vector_operands {
    static constexpr bool are_vectors = Left::rank == 1 && Right::rank == 1;
};

template <auto Left, auto Right>
struct dot_axes {
    static constexpr bool agree = dimensions_agree(Left, Right);
};

}  // namespace detail

/// The sum of the products of two vectors of the same extent, lazily, as an expression of rank 0. Other operands do not
/// compile: "dot: both operands must be vectors", "both vectors must have the same extent".
///
///     float energy = eval(dot(x, x))();
template <any_expression Left, any_expression Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto dot(Left&& a, Right&& b) noexcept {
    static_assert(detail::vector_operands<shape_of<Left>, shape_of<Right>>::are_vectors,
                  "ashlar: dot: both operands must be vectors; use matmul for matrices, reshape<n> to flatten");
    if constexpr (!detail::vector_operands<shape_of<Left>, shape_of<Right>>::are_vectors) {
        return detail::refused<element_of<Left>, shape<>>();
    } else {
        constexpr auto left = detail::dimension_at<shape_of<Left>, 0>;
        constexpr auto right = detail::dimension_at<shape_of<Right>, 0>;
        static_assert(detail::dot_axes<left, right>::agree,
                      "ashlar: dot: both vectors must have the same extent, and the same name if they have one; slice "
                      "or rename one of them");
        if constexpr (detail::dot_axes<left, right>::agree)
            return sum<0>(std::forward<Left>(a) * std::forward<Right>(b));
        else
            return detail::refused<element_of<Left>, shape<>>();
    }
}

/// The products of each element of one vector and each of another, lazily: [M] and [N] give [M, N]. Other operands do
/// not compile: "outer: both operands must be vectors".
///
///     auto table = outer(iota<float, 4>(), x);
template <any_expression Left, any_expression Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto outer(Left&& a, Right&& b) noexcept {
    static_assert(detail::vector_operands<shape_of<Left>, shape_of<Right>>::are_vectors,
                  "ashlar: outer: both operands must be vectors; reshape<n> flattens");
    if constexpr (detail::vector_operands<shape_of<Left>, shape_of<Right>>::are_vectors)
        return unsqueeze<1>(std::forward<Left>(a)) * unsqueeze<0>(std::forward<Right>(b));
    else
        return detail::refused<element_of<Left>, shape<shape_of<Left>::size, shape_of<Right>::size>>();
}

}  // namespace ashlar
