// SPDX-License-Identifier: BSL-1.0
// flip and roll: entries of an axis reversed or rotated.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/nodes/viewable.hpp>
#include <ashlar/expr/shape/slice.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Reverses Axis and the Others.
template <std::size_t Axis, std::size_t... Others, any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto flip_along(Expression&& e) noexcept {
    constexpr std::size_t extent = shape_of<Expression>::extents[Axis];
    const auto reversed = [&]() ASHLAR_LAMBDA_INLINE {
        if constexpr (extent == 1)
            return itself(std::forward<Expression>(e));
        else
            return slice_from<Axis, extent, -1>(std::forward<Expression>(e), static_cast<std::ptrdiff_t>(extent) - 1);
    };
    if constexpr (sizeof...(Others) == 0)
        return reversed();
    else
        return flip_along<Others...>(reversed());
}

/// Whether a flip argument is valid; an error if not.
template <class Shape, auto Axis>
consteval bool flips() {
    static_assert(axis_argument<Axis, Shape>::found,
                  "ashlar: flip: the axis must be a position or a named axis that occurs once in the shape");
    return axis_argument<Axis, Shape>::found;
}

/// Moves each entry of the axis up by Shift, which is at least 0 and less than the extent.
template <std::size_t Axis, std::size_t Shift, any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto roll_by(Expression&& e) noexcept;

template <std::size_t Axis, class Expression>
inline constexpr std::size_t rolled_along = 0;
template <std::size_t Axis, std::size_t Shift, class Shape, class Expression>
inline constexpr std::size_t rolled_along<Axis, roll_node<Axis, Shift, Shape, Expression>> = Shift;

template <std::size_t Axis, std::size_t Shift, any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto roll_by(Expression&& e) noexcept {
    using plain = std::remove_cvref_t<Expression>;
    constexpr std::size_t extent = shape_of<Expression>::extents[Axis], before = rolled_along<Axis, plain>;
    if constexpr (Shift == 0)
        return itself(std::forward<Expression>(e));
    else if constexpr (extent == 2 && viewable<Expression>)
        // Two entries are exchanged, which a stride can express. The view is read-only, as for any other extent.
        return flip_along<Axis>(
            make_view<const memory_element<Expression>, shape_of<Expression>, plain::strides>(e.data()));
    else if constexpr (before != 0)
        return roll_by<Axis, (before + Shift) % extent>(owned(e.template operand<0>()));
    else
        return roll_node<Axis, Shift, shape_of<Expression>, held<Expression>>{
            {{}, {{hold(std::forward<Expression>(e))}}}};
}

}  // namespace detail

/// Reverses the entries of the given axes; without arguments, of all axes. A view for tensors and views (a named tensor
/// can be written through it); lazy otherwise.
///
///     auto backwards = flip<seq>(x);
///     flip<0, 1>(image) = other;   // rotated by 180 degrees
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto flip(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    if constexpr (from::rank == 0 && sizeof...(Axes) == 0) {
        return detail::itself(std::forward<Expression>(e));
    } else if constexpr (sizeof...(Axes) == 0) {
        return [&]<std::size_t... Axis>(std::index_sequence<Axis...>) ASHLAR_LAMBDA_INLINE {
            return detail::flip_along<Axis...>(std::forward<Expression>(e));
        }(std::make_index_sequence<from::rank>{});
    } else if constexpr ((detail::flips<from, Axes>() && ...)) {
        static_assert(detail::distinct_axes<from, Axes...>::given,
                      "ashlar: flip: an axis is given twice; two flips undo each other");
        return detail::flip_along<detail::axis_position<from, Axes>()...>(std::forward<Expression>(e));
    } else {
        return detail::refused_shape<from>(std::forward<Expression>(e));
    }
}

/// Rotates the entries of an axis to higher positions by Shift; those moved past the end return at the beginning. A
/// negative Shift rotates to lower positions, and whole turns change nothing. Lazy, except that a whole turn returns x,
/// and an axis of two entries of a tensor or view gives a read-only view.
///
///     auto before = roll<seq, 1>(x);   // entry i is entry i - 1 of x, entry 0 the last one
template <auto Axis, std::ptrdiff_t Shift, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto roll(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    constexpr bool found = detail::axis_argument<Axis, from>::found;
    static_assert(detail::axis_argument<Axis, from>::found,
                  "ashlar: roll: the axis must be a position or a named axis that occurs once in the shape");
    if constexpr (found) {
        constexpr std::size_t axis = detail::axis_position<from, Axis>();
        constexpr auto extent = static_cast<std::ptrdiff_t>(from::extents[axis]);
        return detail::roll_by<axis, static_cast<std::size_t>((Shift % extent + extent) % extent)>(
            std::forward<Expression>(e));
    } else {
        return detail::refused<element_of<Expression>, from>();
    }
}

}  // namespace ashlar
