// SPDX-License-Identifier: BSL-1.0
// pack: a matrix into the order of the product kernels.
#pragma once

#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/packed.hpp>

namespace ashlar {

namespace detail {

/// Whether a shape is a matrix.
template <class Shape>
struct packed_rank {
    static constexpr bool is_matrix = Shape::rank == 2;
};

template <class Element, class Shape, class Config>
struct packed_like;
template <class Element, auto Rows, auto Columns, class Config>
struct packed_like<Element, shape<Rows, Columns>, Config> {
    using type = basic_packed<Element, panel_columns<Element, Config>, Rows, Columns>;
};

}  // namespace detail

/// A matrix expression [rows, columns] in the layout that the product kernels stream, for use as a right operand of
/// matmul: the same values, read front to back. Done once, at start-up or in a constant expression; costs one copy.
///
///     const auto packed_weights = pack(weights);
///     y = matmul(x, packed_weights);
template <any_expression Expression, class Config = current_config>
[[nodiscard]] constexpr auto pack(const Expression& e) noexcept {
    static_assert(detail::packed_rank<shape_of<Expression>>::is_matrix,
                  "ashlar: pack: only a matrix can be packed; reshape it to two axes or pack its parts");
    if constexpr (shape_of<Expression>::rank == 2) {
        using result = typename detail::packed_like<element_of<Expression>, shape_of<Expression>, Config>::type;
        result out{};
        const auto fill = [&out](const auto& matrix) {
            constexpr std::size_t rows = shape_of<Expression>::extents[0], columns = shape_of<Expression>::extents[1];
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t c = 0; c < columns; ++c)
                    out.elements[detail::panel_offset(result::panel, rows, columns, r, c)] = matrix(r, c);
        };
        if constexpr (array_expression<Expression>)
            fill(e);
        else
            fill(eval<Expression, Config>(e));
        return out;
    }
}

}  // namespace ashlar
