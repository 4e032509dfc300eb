// SPDX-License-Identifier: BSL-1.0
// Cumulative sums along an axis.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/shape/pad.hpp>
#include <ashlar/expr/shape/slice.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Each entry plus the one Step before it. The padding is -0, which leaves an entry of -0 unchanged.
template <std::size_t Axis, std::size_t Step>
struct add_entry_before {
    template <class Operand>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Operand& x) const noexcept {
        using number = element_of<Operand>;
        constexpr auto last = static_cast<std::ptrdiff_t>(shape_of<Operand>::extents[Axis] - Step);
        return x + pad_along<Axis, Step, 0>(slice<static_cast<int>(Axis), 0, last>(x), static_cast<number>(-0.0));
    }
};

/// Doubles the number of summed entries, from Step to 2 Step, until the axis ends (Hillis and Steele 1986).
template <std::size_t Axis, std::size_t Step, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto sums_up_to(Expression&& e) noexcept {
    if constexpr (Step >= shape_of<Expression>::extents[Axis])
        return hold(std::forward<Expression>(e));
    else
        return sums_up_to<Axis, 2 * Step>(let(std::forward<Expression>(e), add_entry_before<Axis, Step>{}));
}

}  // namespace detail

/// The cumulative sum along an axis: x's shape. Numbers; integers wrap. An axis of n entries takes log2(n) passes, each
/// of which adds an earlier entry to every entry, so errors grow with log(n). A NaN or an infinity affects only the
/// entries from it on.
///
///     auto ends = cumsum<-1>(lengths);   // {3, 1, 2} to {3, 4, 6}
template <auto Axis, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto cumsum(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    constexpr bool found = detail::axis_argument<Axis, from>::found;
    constexpr bool allowed = detail::reduced_elements<reduction_kind::sum, element_of<Expression>>::allowed;
    static_assert(detail::axis_argument<Axis, from>::found,
                  "ashlar: reduction: each axis must be a position or a named axis that occurs once in the shape");
    static_assert(detail::reduced_elements<reduction_kind::sum, element_of<Expression>>::allowed,
                  "ashlar: reduction: all and any take bool, mean, variance and logsumexp floating-point numbers, the "
                  "others numbers; use cast<T>(x)");
    if constexpr (found && allowed)
        return detail::sums_up_to<detail::axis_position<from, Axis>(), 1>(std::forward<Expression>(e));
    else
        return detail::refused_reduction<reduction_kind::sum, from, Expression>();
}
template <auto... Given>
void cumsum(detail::refused_reduction_call, detail::any_argument = {}, detail::any_argument = {});

}  // namespace ashlar
