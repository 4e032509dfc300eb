// SPDX-License-Identifier: BSL-1.0
// quantize: a matrix of floats into 8 bits, column by column.
#pragma once

#include <type_traits>

#include <ashlar/eval/eval.hpp>
#include <ashlar/eval/pack.hpp>
#include <ashlar/expr/nodes/quantized.hpp>
#include <ashlar/kernel/product/rounded_columns.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

template <class Element, class Shape>
struct quantized_like;
template <class Element, auto Rows, auto Columns>
struct quantized_like<Element, shape<Rows, Columns>> {
    using type = basic_quantized<Element, Rows, Columns>;
};

/// Whether elements of a row or of a column of a matrix of floats are neighbours in memory, none of them reversed.
template <class Matrix, std::size_t Axis>
inline constexpr bool has_neighbours = false;
template <array_expression Matrix, std::size_t Axis>
    requires(std::is_same_v<std::remove_cvref_t<decltype(*std::declval<const Matrix&>().data())>, float>)
inline constexpr bool has_neighbours<Matrix, Axis> = Matrix::strides[Axis] == 1 && Matrix::strides[1 - Axis] >= 0;

/// The columns of a matrix whose elements are neighbours along an axis.
template <class Config, std::size_t Axis, class Quantized, class Matrix>
ASHLAR_STAGE_ROOT ASHLAR_STAGE_INLINE void quantize_registers(Quantized& w, const Matrix& matrix) {
    const rounded_columns<Config, Quantized::layout> columns{w.elements, w.scales, w.sums};
    constexpr auto distance = static_cast<std::size_t>(Matrix::strides[1 - Axis]);
    if constexpr (Axis == 1)
        columns.from_rows(matrix.data(), distance);
    else
        columns.from_columns(matrix.data(), distance);
}

/// Rounds the columns of a matrix in memory, or in a constant expression.
template <class Config, class Quantized, class Matrix>
constexpr void quantize_columns(Quantized& w, const Matrix& matrix) noexcept {
    const auto columns = w.columns_in_memory();
    columns.template clear_rest<Config>();
    constexpr bool along_rows = has_neighbours<Matrix, 1>, along_columns = has_neighbours<Matrix, 0>;
    if constexpr (Quantized::spread == 1 && Quantized::scale_group == 0 && (along_rows || along_columns))
        if (!__builtin_is_constant_evaluated()) return quantize_registers<Config, (along_rows ? 1 : 0)>(w, matrix);
    for (std::size_t c = 0; c < Quantized::extents[1]; ++c)
        columns.template set<Config>(c, [&](std::size_t r) { return static_cast<float>(matrix(r, c)); });
}

template <class Config, class Quantized, class Expression>
constexpr void quantize_into(Quantized& w, const Expression& e) noexcept {
    using values = value_tensor<Expression>;
    if constexpr (array_expression<Expression>) {
        quantize_columns<Config>(w, e);
    } else if (__builtin_is_constant_evaluated()) {
        quantize_columns<Config>(w, constant_evaluate(e));
    } else {
        constexpr std::size_t bytes = planned<Expression, Config>::code.scratch_bytes + sizeof(values);
        static_assert(scratch_on_stack<bytes, Config::stack_budget>::fits,
                      "ashlar: quantize: the values exceed ASHLAR_STACK_BUDGET; evaluate the matrix into a tensor of "
                      "yours and quantize that");
        if constexpr (scratch_on_stack<bytes, Config::stack_budget>::fits) {
            values all;
            assign<Config>(all, e);
            quantize_columns<Config>(w, all);
        }
    }
}

/// One variable, one return and no deduced type, as in `evaluated`: it is the caller's own on all compilers.
template <class Config, class Quantized, class Expression>
constexpr Quantized quantized_values(const Expression& e) noexcept {
    Quantized result;
    quantize_into<Config>(result, e);
    return result;
}

}  // namespace detail

/// Rounds a matrix expression [rows, columns] of floats into w, which has its extents: each column to integers from
/// -127 to 127 times a scale, its greatest magnitude / 127; halves go to the even integer. A column of zeros, or of
/// numbers below 2^-120, has the scale 0, one with NaN or infinity the scale NaN. A tensor or view is read where it
/// lies, a lazy expression evaluated on the stack first. w must not be part of e. Outliers are spread where w is a
/// matrix of `smoothed<float>`.
///
///     static quantized<float, 4096, 2560> weights;
///     quantize(weights, loaded);
template <class Element, auto Rows, auto Columns, any_expression Expression, class Config = current_config>
constexpr void quantize(basic_quantized<Element, Rows, Columns>& w, const Expression& e) noexcept {
    using check = detail::packed_destination<shape<Rows, Columns>, shape_of<Expression>, float, element_of<Expression>>;
    static_assert(
        check::fits,
        "ashlar: quantize: the destination must have the extents of the matrix, whose elements are floats; change one");
    if constexpr (check::fits) detail::quantize_into<Config>(w, e);
}

/// A matrix expression [rows, columns] of floats in 8 bits, for use as a right operand of matmul. Done once, at
/// start-up or in a constant expression. The result lies on the stack until it is assigned, so larger ones than
/// ASHLAR_STACK_BUDGET do not compile.
///
///     const auto w = quantize(weights);
///     y = matmul(x, w) + bias;
template <any_expression Expression, class Config = current_config>
[[nodiscard]] constexpr auto quantize(const Expression& e) noexcept {
    static_assert(detail::packed_rank<shape_of<Expression>>::is_matrix,
                  "ashlar: quantize: only a matrix can be quantized; reshape it to two axes or quantize its parts");
    if constexpr (shape_of<Expression>::rank == 2) {
        using result = typename detail::quantized_like<element_of<Expression>, shape_of<Expression>>::type;
        static_assert(detail::scratch_on_stack<sizeof(result), Config::stack_budget>::fits,
                      "ashlar: quantize: the result exceeds ASHLAR_STACK_BUDGET; quantize into a matrix of yours by "
                      "quantize(w, t)");
        if constexpr (detail::scratch_on_stack<sizeof(result), Config::stack_budget>::fits)
            return detail::quantized_values<Config, result>(e);
        else
            return result{};
    }
}

}  // namespace ashlar
