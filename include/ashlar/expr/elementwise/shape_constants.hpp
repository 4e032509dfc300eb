// SPDX-License-Identifier: BSL-1.0
// Constants and coordinates that depend on shapes only: index and rsqrt_extent.
#pragma once

#include <cstddef>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/let.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Newton's method from above: it decreases until it converges.
consteval double square_root(double x) {
    double root = x > 1 ? x : 1;
    for (double next = (root + x / root) / 2; next < root; next = (root + x / root) / 2) root = next;
    return root;
}

}  // namespace detail

/// The coordinate along an axis (0, 1, ... as std::int32_t), as an expression of e's shape. e is not evaluated, except
/// for what a `store` in it writes.
///
///     auto positions = cast<float>(index<seq>(x));
template <auto Axis, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto index([[maybe_unused]] const Expression& e) noexcept {
    constexpr bool found = detail::axis_argument<Axis, shape_of<Expression>>::found;
    static_assert(detail::axis_argument<Axis, shape_of<Expression>>::found,
                  "ashlar: index: the axis must be a position or a named axis that occurs once in the shape");
    using node = index_node<found ? detail::axis_position<shape_of<Expression>, Axis>() : 0, shape_of<Expression>>;
    if constexpr (found && detail::stores_values<Expression>)
        return let(e, [](const auto&) ASHLAR_LAMBDA_INLINE { return node{}; });
    else
        return node{};
}

/// 1 / sqrt(extent) of an axis or an integer: the usual scale of attention scores. Beside an expression it takes the
/// expression's element type.
///
///     auto scores = matmul(q, transpose(k)) * rsqrt_extent<head>;
template <auto Dim>
    requires any_dimension<decltype(Dim)>
inline constexpr double rsqrt_extent = 1 / detail::square_root(static_cast<double>(detail::extent_of(Dim)));

}  // namespace ashlar
