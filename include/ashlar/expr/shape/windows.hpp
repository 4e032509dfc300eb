// SPDX-License-Identifier: BSL-1.0
// windows: splits an axis into windows that may overlap, for convolutions, pooling and frames of a signal.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// The number of windows of Size entries, Dilation apart, that fit into an axis. Each window starts Step entries after
/// the previous one.
template <auto Dimension, std::size_t Size, std::size_t Step, std::size_t Dilation>
struct window_count {
    static constexpr std::size_t extent = extent_of(Dimension), reach = (Size - 1) * Dilation + 1;
    static constexpr bool fits = Size != 0 && Step != 0 && Dilation != 0 && reach <= extent;
    static constexpr std::size_t value = fits ? (extent - reach) / (Step == 0 ? 1 : Step) + 1 : 1;
};

/// The shape with an axis replaced by two: the windows and their entries.
template <class Shape, std::size_t Axis, std::size_t Count, std::size_t Size>
consteval auto shape_of_windows() {
    return build_shape<Shape::rank + 1>([]<std::size_t Place>() {
        if constexpr (Place < Axis)
            return dimension_at<Shape, Place>;
        else if constexpr (Place == Axis)
            return Count;
        else if constexpr (Place == Axis + 1)
            return Size;
        else
            return dimension_at<Shape, Place - 1>;
    });
}

}  // namespace detail

/// Splits an axis into windows of Size entries, Dilation apart. Each window starts Step entries after the previous one.
/// Two axes replace the axis, the windows and their entries: entry (i, j) is entry i * Step + j * Dilation of e. There
/// are (extent - (Size - 1) * Dilation - 1) / Step + 1 windows; entries at the end that fill none are dropped. Lazy and
/// never copied for its own sake: windows of memory are read in place. PyTorch's unfold, but with the entries next to
/// their windows.
///
///     auto frames = windows<0, 400, 160>(samples);   // [16000] as [98, 400]
template <auto Axis, std::size_t Size, std::size_t Step = 1, std::size_t Dilation = 1, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto windows(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    constexpr bool found = detail::axis_argument<Axis, from>::found;
    static_assert(detail::axis_argument<Axis, from>::found,
                  "ashlar: windows: the axis must be a position or a named axis that occurs once in the shape");
    if constexpr (found) {
        constexpr std::size_t axis = detail::axis_position<from, Axis>();
        constexpr auto dim = detail::dimension_at<from, axis>;
        using count = detail::window_count<dim, Size, Step, Dilation>;
        using result = decltype(detail::shape_of_windows<from, axis, count::value, Size == 0 ? 1 : Size>());
        static_assert(
            detail::window_count<dim, Size, Step, Dilation>::fits,
            "ashlar: windows: a window must have an entry, begin after the previous one and fit into the axis; "
            "pad the axis or make the window smaller");
        if constexpr (count::fits)
            return window_node<axis, Step, Dilation, result, detail::held<Expression>>{
                {{}, {{detail::hold(std::forward<Expression>(e))}}}};
        else
            return detail::refused<element_of<Expression>, result>();
    } else {
        return detail::refused<element_of<Expression>, from>();
    }
}

}  // namespace ashlar
