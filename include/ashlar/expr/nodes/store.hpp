// SPDX-License-Identifier: BSL-1.0
// store: also writes a sub-result to the caller's memory.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/viewable.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

template <class Destination>
struct store_destination {
    static constexpr bool is_writable = writable<Destination>;
};

}  // namespace detail

/// Passes e on and also writes it to the destination when an expression that contains it is evaluated. The destination
/// is a named tensor or a view, of the same shape and element type. It must outlive the expression and not overlap
/// anything the expression reads. All of e is written, even if only a part of it is used (a slice, a row, what a
/// condition or a mask keeps), only its shape (by `index`), or nothing (by the function of a `let`). With
/// `rows_below(n)` at least the rows that the first n rows of the result use are written; all rows if they use none.
///
///     tensor<float, 64, 64> weights;
///     tensor<float, 64, 32> y = matmul(store(weights, softmax(scores)), v);
template <array_expression Destination, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto store(Destination&& destination, Expression&& e) noexcept {
    constexpr bool written = detail::store_destination<Destination>::is_writable;
    constexpr bool fits = detail::assigned_shape<shape_of<Destination>, shape_of<Expression>>::matches;
    constexpr bool same = detail::element_types<element_of<Destination>, element_of<Expression>>::same;
    static_assert(detail::store_destination<Destination>::is_writable,
                  "ashlar: store: the destination must be a named tensor or a view whose elements are not const");
    static_assert(detail::assigned_shape<shape_of<Destination>, shape_of<Expression>>::matches,
                  "ashlar: store: the destination must have the shape of the expression; reshape or rename one");
    static_assert(detail::element_types<element_of<Destination>, element_of<Expression>>::same,
                  "ashlar: store: the destination must have the element type of the expression; use cast<T>(x)");
    if constexpr (written && fits && same)
        return store_node<decltype(detail::itself(destination)), detail::held<Expression>>{
            {{}, {{detail::hold(std::forward<Expression>(e))}}}, detail::itself(destination)};
    else
        return detail::hold(std::forward<Expression>(e));
}

}  // namespace ashlar
