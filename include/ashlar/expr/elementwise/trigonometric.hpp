// SPDX-License-Identifier: BSL-1.0
// Elementwise sine and cosine.
#pragma once

#include <utility>

#include <ashlar/expr/elementwise/elementwise_operation.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

struct sin_function {
    static constexpr const char* name = "sin";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return sin(x);
    }
};

struct cos_function {
    static constexpr const char* name = "cos";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return cos(x);
    }
};

}  // namespace detail

/// Sine of each element in radians, in [-1, 1], within 2.5 ulp for every float; NaN for infinities. Registers with an
/// element beyond 6400 (double: 1.6e6) are computed element by element, which takes longer.
///
///     auto wave = sin(6.2831853f * x);
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto sin(Expression&& x) noexcept {
    return detail::elementwise(detail::sin_function{}, std::forward<Expression>(x));
}
template <auto... Given>
void sin(detail::refused_elementwise_call, detail::any_argument = {});

/// Cosine of each element in radians, as accurate as `sin` and at the same cost.
///
///     auto y = x * cos(angles) - rotated * sin(angles);   // as in rotary positions
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto cos(Expression&& x) noexcept {
    return detail::elementwise(detail::cos_function{}, std::forward<Expression>(x));
}
template <auto... Given>
void cos(detail::refused_elementwise_call, detail::any_argument = {});

}  // namespace ashlar
