// SPDX-License-Identifier: BSL-1.0
// pad: adds entries of one value before and after an axis.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/shape/concat.hpp>
#include <ashlar/expr/shape/reshape.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Count entries of a value along an axis of a shape.
template <class Shape, std::size_t Axis, std::size_t Count, class Element>
ASHLAR_ALWAYS_INLINE constexpr auto entries_of(Element value) noexcept {
    return broadcast_as<decltype(with_dimension<Shape, Axis, Count>())>(scalar_node<Element>{value});
}

template <std::size_t Axis, std::size_t Before, std::size_t Behind, any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto pad_along(Expression&& e, element_of<Expression> value) noexcept {
    using from = shape_of<Expression>;
    if constexpr (Before == 0 && Behind == 0)
        return hold(std::forward<Expression>(e));
    else if constexpr (Behind == 0)
        return concat<Axis>(entries_of<from, Axis, Before>(value), std::forward<Expression>(e));
    else if constexpr (Before == 0)
        return concat<Axis>(std::forward<Expression>(e), entries_of<from, Axis, Behind>(value));
    else
        return concat<Axis>(entries_of<from, Axis, Before>(value), std::forward<Expression>(e),
                            entries_of<from, Axis, Behind>(value));
}

}  // namespace detail

/// Adds Before entries of a value (default 0) before an axis and Behind entries (default Before) after it. The axis
/// loses its name. Lazy; an operation that needs the whole padded array evaluates it into scratch. PyTorch's F.pad in
/// constant mode.
///
///     auto centred = pad<0, 200>(samples);   // [16000] as [16400]
template <auto Axis, std::size_t Before, std::size_t Behind = Before, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto pad(Expression&& e, element_of<Expression> value = {}) noexcept {
    using from = shape_of<Expression>;
    constexpr bool found = detail::axis_argument<Axis, from>::found;
    static_assert(detail::axis_argument<Axis, from>::found,
                  "ashlar: pad: the axis must be a position or a named axis that occurs once in the shape");
    if constexpr (found)
        return detail::pad_along<detail::axis_position<from, Axis>(), Before, Behind>(std::forward<Expression>(e),
                                                                                      value);
    else
        return detail::refused<element_of<Expression>, from>();
}

}  // namespace ashlar
