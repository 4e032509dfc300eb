// SPDX-License-Identifier: BSL-1.0
// topk: the largest entries along an axis, and their positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/any_argument.hpp>
#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/eval/constant/constant_memory.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/elementwise/functions.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1 {

/// What `topk` returns: both have x's shape with Count entries along the axis.
/// Example: `topk`.
template <class Values, class Indices>
struct topk_result {
    Values values;
    Indices indices;
};

namespace detail {

/// Whether an axis has so many entries.
template <std::size_t Count, auto Dimension>
struct topk_entries {
    static constexpr bool exist = Count != 0 && Count <= extent_of(Dimension);
};

/// NaN counts as the largest number, as in PyTorch.
template <class Config, class Element>
constexpr bool is_larger(Element a, Element b) noexcept {
    if constexpr (std::is_floating_point_v<Element>)
        return a > b || (a != a && b == b);
    else
        return a > b;
}

/// The largest Count of `extent` elements at distance `step`, in descending order; equal ones in the order of their
/// positions.
template <class Config, std::size_t Count, class Element>
constexpr void find_largest(const Element* from, std::size_t extent, std::size_t step, Element* values,
                            std::int32_t* indices) noexcept {
    std::size_t found = 0;
    for (std::size_t i = 0; i < extent; ++i) {
        const Element x = from[i * step];
        if (found == Count && !is_larger<Config>(x, values[(Count - 1) * step])) continue;
        std::size_t place = found < Count ? found++ : Count - 1;
        for (; place > 0 && is_larger<Config>(x, values[(place - 1) * step]); --place) {
            values[place * step] = values[(place - 1) * step];
            indices[place * step] = indices[(place - 1) * step];
        }
        values[place * step] = x;
        indices[place * step] = static_cast<std::int32_t>(i);
    }
}

template <class Config, std::size_t Axis, std::size_t Count, class Result, class Array>
constexpr void find_largest_along(const Array& x, Result& result) noexcept {
    std::size_t outer = 1, inner = 1;
    constexpr std::size_t extent = Array::extents[Axis];
    for (std::size_t a = 0; a < Axis; ++a) outer *= Array::extents[a];
    for (std::size_t a = Axis + 1; a < Array::rank; ++a) inner *= Array::extents[a];
    for (std::size_t o = 0; o < outer; ++o)
        for (std::size_t i = 0; i < inner; ++i)
            find_largest<Config, Count>(x.data() + o * extent * inner + i, extent, inner,
                                        result.values.data() + o * Count * inner + i,
                                        result.indices.data() + o * Count * inner + i);
}

template <class Element, class Shape>
using tensor_for = typename dense_tensor<Element, Shape>::type;

}  // namespace detail

/// The Count largest entries along an axis, the last one unless given, in descending order, as `values` and as their
/// positions, `indices` (std::int32_t). Of equal entries the first ones are taken, in their order; NaN counts as the
/// largest number. Evaluated here and now; an expression is evaluated first, by the rules of `eval`. PyTorch's
/// torch.topk, which leaves the order of equal entries open.
///
///     auto [values, indices] = topk<5>(logits);   // logits: tensor<float, 512>
template <std::size_t Count, auto Axis = -1, any_expression Expression, class Config = current_config>
[[nodiscard]] constexpr auto topk(const Expression& x) noexcept {
    using from = shape_of<Expression>;
    constexpr bool found = detail::axis_argument<Axis, from>::found;
    static_assert(detail::axis_argument<Axis, from>::found,
                  "ashlar: topk: the axis must be a position or a named axis that occurs once in the shape");
    static_assert(detail::function_elements<detail::less_function, element_of<Expression>>::defined,
                  "ashlar: topk: the elements must be numbers, which have an order");
    if constexpr (found) {
        constexpr std::size_t axis = detail::axis_position<from, Axis>();
        constexpr auto dim = detail::dimension_at<from, axis>;
        static_assert(detail::topk_entries<Count, dim>::exist,
                      "ashlar: topk: the count must be at least 1 and at most the extent of the axis");
        using shape = decltype(detail::with_dimension<from, axis, (Count == 0 ? 1 : Count)>());
        topk_result<detail::tensor_for<element_of<Expression>, shape>, detail::tensor_for<std::int32_t, shape>>
            result{};
        if constexpr (detail::topk_entries<Count, dim>::exist) {
            if constexpr (requires { x.data(); }) {
                if constexpr (Expression::strides == detail::row_major_strides(from::extents) &&
                              std::is_same_v<std::remove_cvref_t<decltype(*x.data())>, element_of<Expression>>)
                    detail::find_largest_along<Config, axis, Count>(x, result);
                else
                    detail::find_largest_along<Config, axis, Count>(eval(x), result);
            } else {
                detail::find_largest_along<Config, axis, Count>(eval(x), result);
            }
        }
        return result;
    } else {
        return topk_result<detail::tensor_for<element_of<Expression>, from>, detail::tensor_for<std::int32_t, from>>{};
    }
}

template <auto... Given>
void topk(
    detail::refused_call<
        "ashlar: topk: takes one tensor, view or expression, and the count and the axis as template arguments; write topk<3>(x), topk<3, 1>(x)">,
    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {});

}  // namespace ashlar
