// SPDX-License-Identifier: BSL-1.0
// masked_mean: the mean of the entries that a condition or a mask keeps.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/nodes/viewable.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/shape/reshape.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// The axes of a shape up to Axis, inclusive.
template <class Shape, std::size_t Axis>
consteval auto axes_up_to() {
    return build_shape<Axis + 1>([]<std::size_t Place>() { return dimension_at<Shape, Place>; });
}
/// The same with one query before the last axis, as a mask addresses it.
template <class Shape, std::size_t Axis>
consteval auto one_query_of() {
    return build_shape<Axis + 2>([]<std::size_t Place>() {
        if constexpr (Place < Axis)
            return dimension_at<Shape, Place>;
        else if constexpr (Place == Axis)
            return std::size_t{1};
        else
            return dimension_at<Shape, Axis>;
    });
}
/// A shape with Count axes of extent 1 after it.
template <class Shape, std::size_t Count>
consteval auto with_ones_behind() {
    return build_shape<Shape::rank + Count>([]<std::size_t Place>() {
        if constexpr (Place < Shape::rank)
            return dimension_at<Shape, Place>;
        else
            return std::size_t{1};
    });
}

/// Whether a condition fits the mean along an axis: its last axis is that axis, or it has all axes.
template <class Condition, class Shape, std::size_t Axis>
struct mean_condition {
    static constexpr bool has_all_axes = Condition::rank == Shape::rank;
    static consteval bool check() {
        if constexpr (has_all_axes)
            return broadcast_target<Condition, Shape>::fits;
        else if constexpr (Condition::rank <= Axis + 1)
            return broadcast_target<Condition, decltype(axes_up_to<Shape, Axis>())>::fits;
        else
            return false;
    }
    static constexpr bool fits = check();
};
template <class Condition>
struct mean_bools {
    static constexpr bool given = std::is_same_v<element_of<Condition>, bool>;
};

/// The sum of the kept entries divided by their number, or by 1 if there are none; kept has as many axes as x.
template <std::size_t Axis, class Operand, class Kept>
ASHLAR_ALWAYS_INLINE constexpr auto mean_of_kept(Operand&& x, Kept&& kept) noexcept {
    using Element = element_of<Operand>;
    auto condition = hold(std::forward<Kept>(kept));  // read twice; a temporary is owned
    auto count = max<>(sum<Axis>(where(owned(condition), Element(1), Element(0))), Element(1));
    return sum<Axis>(where(std::move(condition), std::forward<Operand>(x), Element(0))) / std::move(count);
}

}  // namespace detail

/// The mean along an axis of the entries that a condition keeps, lazily: x's shape without the axis. It is 0 if none is
/// kept, and other entries do not affect it, even NaN. Floating point. The condition is an expression of bools, true
/// where an entry counts. Its last axis is the averaged one ([batch, seq] for x [batch, seq, embed]), or it has all
/// axes of x and broadcasts. It may also be a mask: the averaged axis is then the keys of one query, and the axes
/// before it are batch axes.
///
///     auto sentence = masked_mean<seq>(x, present);           // present: tensor<bool, seq>
///     auto shorter = masked_mean<0>(x, keys_below(length));   // x: tensor<float, seq, head>
template <auto Axis, any_expression Operand, class Kept>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto masked_mean(Operand&& x, Kept&& kept) noexcept {
    using from = shape_of<Operand>;
    constexpr bool found = detail::axis_argument<Axis, from>::found;
    constexpr bool floating = detail::reduced_elements<reduction_kind::mean, element_of<Operand>>::allowed;
    static_assert(detail::axis_argument<Axis, from>::found,
                  "ashlar: masked_mean: the axis must be a position or a named axis that occurs once in the shape");
    static_assert(detail::reduced_elements<reduction_kind::mean, element_of<Operand>>::allowed,
                  "ashlar: masked_mean: the elements must be floating-point numbers; use cast<float>(x)");
    if constexpr (!found) {
        return detail::refused<detail::floating_or_float<element_of<Operand>>, from>();
    } else {
        constexpr std::size_t axis = detail::axis_position<from, Axis>();
        using result = decltype(detail::without_axis<from, axis, false>());
        using up_to = decltype(detail::axes_up_to<from, axis>());
        constexpr std::size_t behind = from::rank - axis - 1;
        if constexpr (!floating) {
            return detail::refused<float, result>();
        } else if constexpr (any_expression<Kept>) {
            using condition = detail::mean_condition<shape_of<Kept>, from, axis>;
            static_assert(
                detail::mean_bools<std::remove_cvref_t<Kept>>::given,
                "ashlar: masked_mean: the condition must be of bools, true where an entry counts; compare first");
            static_assert(
                detail::mean_condition<shape_of<Kept>, from, axis>::fits,
                "ashlar: masked_mean: the condition's last axis must be the one averaged over, or it must have "
                "all axes of x; unsqueeze or rename its axes");
            if constexpr (!condition::fits || !detail::mean_bools<std::remove_cvref_t<Kept>>::given)
                return detail::refused<element_of<Operand>, result>();
            else if constexpr (condition::has_all_axes)
                return detail::mean_of_kept<axis>(std::forward<Operand>(x),
                                                  detail::broadcast_as<from>(std::forward<Kept>(kept)));
            else
                return detail::mean_of_kept<axis>(
                    std::forward<Operand>(x), detail::reshape_to<decltype(detail::with_ones_behind<up_to, behind>())>(
                                                  detail::broadcast_as<up_to>(std::forward<Kept>(kept))));
        } else {
            using scores = decltype(detail::one_query_of<from, axis>());
            if constexpr (!detail::check_option<element_of<Operand>, scores>(
                              std::type_identity<std::remove_cvref_t<Kept>>{}))
                return detail::refused<element_of<Operand>, result>();
            else
                return detail::mean_of_kept<axis>(
                    std::forward<Operand>(x),
                    detail::reshape_to<decltype(detail::with_ones_behind<up_to, behind>())>(
                        mask_node<detail::mask_of<Kept>, scores>{{}, detail::as_mask(std::forward<Kept>(kept))}));
        }
    }
}

}  // namespace ashlar
