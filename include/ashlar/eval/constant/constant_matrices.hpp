// SPDX-License-Identifier: BSL-1.0
// Functions of square matrices in constant expressions: the kernels of one lane, matrix after matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <ashlar/eval/constant/constant.hpp>
#include <ashlar/eval/stages/matrix_functions.hpp>
#include <ashlar/expr/nodes/coordinates.hpp>

namespace ashlar::inline v0_1::detail {

template <class Node>
inline constexpr matrix_kind function_of_matrices = matrix_kind::lu;
template <matrix_kind Function, class Shape, class Matrices, class... Right>
inline constexpr matrix_kind function_of_matrices<matrix_node<Function, Shape, Matrices, Right...>> = Function;

template <class Config>
struct constant_matrices {
    /// Writes the values of a node, given those of its operands.
    template <class Node, class Element, class... Right>
    static constexpr void write(const Node& e, const Element* matrices, Element* out, const Right*... right) noexcept {
        using from = shape_of<decltype(e.template operand<0>())>;
        constexpr matrix_kind function = function_of_matrices<Node>;
        constexpr bool has_matrices = function != matrix_kind::determinant;
        constexpr std::size_t order = from::extents[from::rank - 1];
        constexpr std::size_t sides = sizeof...(Right) != 0              ? Node::extents[Node::shape_type::rank - 1]
                                      : function == matrix_kind::inverse ? order
                                      : function == matrix_kind::lu      ? 1
                                                                         : 0;
        constexpr std::size_t results = !has_matrices ? 1
                                        : function == matrix_kind::cholesky || function == matrix_kind::lu
                                            ? order * order
                                            : order * sides;
        for (std::size_t n = 0; n < Node::shape_type::size / results; ++n, out += results) {
            const auto at = coordinates_of_element<typename Node::shape_type>(n * results);
            Element matrix[order * order], side[order * (sides == 0 ? 1 : sides)];
            copy(matrices + place_of_matrix<from, has_matrices>(at), matrix, order * order);
            (copy(right + place_of_matrix<shape_of<decltype(e.template operand<sizeof...(Right)>())>, true>(at), side,
                  order * sides),
             ...);
            using layout = lane_matrices<lanes<Element, 1, Config>, order, sides, is_symmetric(function)>;
            const auto [determinant, end] = run_matrix_function<function>(layout{{matrix, side}});
            if constexpr (!has_matrices) {
                *out = determinant[0];
            } else if constexpr (function == matrix_kind::cholesky) {
                for (std::size_t i = 0; i < order; ++i)
                    for (std::size_t j = 0; j < order; ++j)
                        out[i * order + j] = j > i     ? Element(0)
                                             : j < end ? matrix[i * order + j]
                                                       : std::numeric_limits<Element>::quiet_NaN();
            } else if constexpr (function == matrix_kind::lu) {
                copy(matrix, out, order * order);
                for (std::size_t i = 0; i < order; ++i) e.order[n * order + i] = static_cast<std::int32_t>(side[i]);
            } else {
                copy(side, out, order * sides);
                if (end != order)
                    for (std::size_t i = 0; i < results; ++i) out[i] = std::numeric_limits<Element>::quiet_NaN();
            }
        }
    }

private:
    template <class Element>
    static constexpr void copy(const Element* from, Element* to, std::size_t count) noexcept {
        for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
    }
    /// The first element of the operand's matrix for a result; the latter has two axes more than its batch, or none.
    template <class From, bool HasMatrices, std::size_t Rank>
    static constexpr std::size_t place_of_matrix(const std::array<std::size_t, Rank>& at) noexcept {
        constexpr std::size_t batch = HasMatrices ? Rank - 2 : Rank, own = From::rank - 2;
        std::size_t place = 0;
        for (std::size_t a = 0; a < own; ++a)
            place = place * From::extents[a] + (From::extents[a] == 1 ? 0 : at[a + batch - own]);
        return place * From::extents[own] * From::extents[own + 1];
    }
};

}  // namespace ashlar::detail
