// SPDX-License-Identifier: BSL-1.0
// upsample: adds entries along one axis or two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/nodes/viewable.hpp>
#include <ashlar/expr/shape/concat.hpp>
#include <ashlar/expr/shape/one_or_two.hpp>
#include <ashlar/expr/shape/reshape.hpp>

namespace ashlar::inline v0_1 {

/// How new entries are computed: the nearest entry, or linear interpolation (PyTorch's align_corners=False).
enum class upsample_mode : std::uint8_t { nearest, linear };

/// The options of `upsample`. `factor` is the number of entries that each entry becomes; a pair is for two axes.
struct upsample_options {
    one_or_two factor;
    upsample_mode mode = upsample_mode::nearest;
    bool channels_last = false;
};

namespace detail {

template <upsample_options Options, class Shape>
struct upsampled_axes {
    static constexpr upsample_options options = Options;
    static constexpr std::size_t behind = Options.channels_last ? 1 : 0, count = options.factor.count;
    static constexpr std::size_t first = options.factor.first, second = options.factor.second;
    static constexpr upsample_mode mode = options.mode;
    static constexpr bool exist = count != 0 && count + behind <= Shape::rank && first != 0 && second != 0;
};

/// For each new entry the two entries between which it lies, and the weight of the second.
template <class Element, std::size_t Extent, std::size_t Factor>
struct line_table {
    basic_tensor<std::int32_t, Extent * Factor> left{}, right{};
    basic_tensor<Element, Extent * Factor> weight{};

    consteval line_table() {
        for (std::size_t i = 0; i < Extent * Factor; ++i) {
            const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(Factor) - 0.5;
            const std::size_t first = place < 0 ? 0 : static_cast<std::size_t>(place);
            left.elements[i] = static_cast<std::int32_t>(first);
            right.elements[i] = static_cast<std::int32_t>(first + 1 < Extent ? first + 1 : first);
            weight.elements[i] = place < 0 ? Element(0) : static_cast<Element>(place - static_cast<double>(first));
        }
    }
};
template <class Element, std::size_t Extent, std::size_t Factor>
inline constexpr line_table<Element, Extent, Factor> lines_between{};

template <upsample_mode Mode, std::size_t Axis, std::size_t Factor, any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto upsample_along(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    if constexpr (Mode == upsample_mode::nearest || Factor == 1) {
        return repeat<Axis, Factor>(std::forward<Expression>(e));
    } else {
        using Element = element_of<Expression>;
        constexpr const auto& table = lines_between<Element, from::extents[Axis], Factor>;
        using column = decltype(column_shape<from::extents[Axis] * Factor, from::rank - Axis>());
        const auto weight = reshape_to<column>(table.weight);
        auto x = hold(std::forward<Expression>(e));  // read twice; a temporary is owned
        auto left = take<Axis>(owned(x), table.left) * (Element(1) - weight);
        return std::move(left) + take<Axis>(std::move(x), table.right) * weight;
    }
}

template <upsample_options Options, class Shape>
consteval auto upsampled_shape() {
    return build_shape<Shape::rank>([]<std::size_t Place>() {
        using axes = upsampled_axes<Options, Shape>;
        constexpr std::size_t begin = Shape::rank - axes::behind - axes::count;
        if constexpr (Place >= begin && Place < begin + axes::count)
            return Shape::extents[Place] * (Place == begin ? axes::first : axes::second);
        else
            return dimension_at<Shape, Place>;
    });
}

}  // namespace detail

/// Enlarges the last axis `factor` times, or the last two if the factor is a pair. A new entry is the nearest entry or,
/// with `.mode = upsample_mode::linear`, interpolated between two; beyond the outermost entries the value is constant.
/// With `.channels_last` the last axis is skipped. Lazy. Linear mode reads e twice, so name a costly expression with
/// `let` or evaluate it first. PyTorch's nn.Upsample with a scale_factor.
///
///     auto y = upsample<{.factor = 2}>(signal);   // [8, 80, 100] to [8, 80, 200]
///     auto z = upsample<{.factor = {2, 2}, .mode = upsample_mode::linear}>(image);   // [3, 32, 32] to [3, 64, 64]
template <upsample_options Options, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto upsample(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    constexpr bool exist = detail::upsampled_axes<Options, from>::exist;
    constexpr bool allowed = detail::upsampled_axes<Options, from>::mode == upsample_mode::nearest ||
                             detail::floating_elements<element_of<Expression>>::given;
    static_assert(detail::upsampled_axes<Options, from>::exist,
                  "ashlar: upsample: the factor must be one number or two, not 0, and the shape have as many axes");
    static_assert(detail::upsampled_axes<Options, from>::mode == upsample_mode::nearest ||
                      detail::floating_elements<element_of<Expression>>::given,
                  "ashlar: upsample: lines between elements take floating-point numbers; use cast<float>(x)");
    if constexpr (!exist) {
        return detail::refused<element_of<Expression>, from>();
    } else if constexpr (!allowed) {
        return detail::refused<element_of<Expression>, decltype(detail::upsampled_shape<Options, from>())>();
    } else {
        using axes = detail::upsampled_axes<Options, from>;
        constexpr std::size_t last = from::rank - axes::behind - 1;
        auto line = detail::upsample_along<axes::mode, last, axes::second>(std::forward<Expression>(e));
        if constexpr (axes::count == 1)
            return line;
        else
            return detail::upsample_along<axes::mode, last - 1, axes::first>(std::move(line));
    }
}

}  // namespace ashlar
