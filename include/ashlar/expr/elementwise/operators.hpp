// SPDX-License-Identifier: BSL-1.0
// Operators on expressions: elementwise, lazy and broadcasting, with a number allowed on either side.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/elementwise/functions.hpp>
#include <ashlar/expr/nodes/viewable.hpp>

namespace ashlar::inline v0_1 {

/// a + b, elementwise. As for all operators here, shapes broadcast as in NumPy, element types must be the same, a
/// number takes the element type of the expression, and the result is lazy.
///
///     tensor<float, 2, 3> y = x * 0.5f + bias;   // bias: tensor<float, 3>
template <class Left, class Right>
    requires detail::elementwise_arguments<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator+(Left&& a, Right&& b) noexcept {
    return detail::elementwise(detail::plus_function{}, std::forward<Left>(a), std::forward<Right>(b));
}

/// a - b, elementwise.
///
///     auto centred = x - mean<-1>(x, keep_dims);
template <class Left, class Right>
    requires detail::elementwise_arguments<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator-(Left&& a, Right&& b) noexcept {
    return detail::elementwise(detail::minus_function{}, std::forward<Left>(a), std::forward<Right>(b));
}

/// a * b, elementwise; `matmul` is the matrix product.
///
///     auto squares = x * x;
template <class Left, class Right>
    requires detail::elementwise_arguments<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator*(Left&& a, Right&& b) noexcept {
    return detail::elementwise(detail::times_function{}, std::forward<Left>(a), std::forward<Right>(b));
}

/// a / b, elementwise. Integers divide as in C++: no divisor may be 0, nor -1 if the dividend is the least number, even
/// where a `where` around the quotient does not choose it. `a / where(b == 0, 1, b)` avoids division by 0.
///
///     auto shares = x / sum<-1>(x, keep_dims);
template <class Left, class Right>
    requires detail::elementwise_arguments<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator/(Left&& a, Right&& b) noexcept {
    return detail::elementwise(detail::divides_function{}, std::forward<Left>(a), std::forward<Right>(b));
}

/// Remainder of a / b, elementwise, as in C++; integers only.
///
///     auto digits = cast<std::int32_t>(x) % 10;
template <class Left, class Right>
    requires detail::elementwise_arguments<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator%(Left&& a, Right&& b) noexcept {
    return detail::elementwise(detail::modulo_function{}, std::forward<Left>(a), std::forward<Right>(b));
}

/// -x, elementwise.
///
///     auto y = exp(-x);
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator-(Expression&& x) noexcept {
    return detail::elementwise(detail::negate_function{}, std::forward<Expression>(x));
}

/// Whether a and b are equal, elementwise: an expression of bool elements, as for all comparisons.
///
///     auto y = where(x == 0.0f, 1.0f, x);
template <class Left, class Right>
    requires detail::elementwise_arguments<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator==(Left&& a, Right&& b) noexcept {
    return detail::elementwise(detail::equal_function{}, std::forward<Left>(a), std::forward<Right>(b));
}

/// Whether a and b differ, elementwise.
///
///     auto ratio = where(bias != 0.0f, x / bias, 0.0f);
template <class Left, class Right>
    requires detail::elementwise_arguments<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator!=(Left&& a, Right&& b) noexcept {
    return detail::elementwise(detail::not_equal_function{}, std::forward<Left>(a), std::forward<Right>(b));
}

/// Whether a is less than b, elementwise.
///
///     auto least = where(x < bias, x, bias);
template <class Left, class Right>
    requires detail::elementwise_arguments<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator<(Left&& a, Right&& b) noexcept {
    return detail::elementwise(detail::less_function{}, std::forward<Left>(a), std::forward<Right>(b));
}

/// Whether a is at most b, elementwise.
///
///     auto ramp = where(x <= 0.0f, 0.0f, x);
template <class Left, class Right>
    requires detail::elementwise_arguments<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator<=(Left&& a, Right&& b) noexcept {
    return detail::elementwise(detail::less_equal_function{}, std::forward<Left>(a), std::forward<Right>(b));
}

/// Whether a is greater than b, elementwise.
///
///     auto above = mean(cast<float>(x > 0.5f));
template <class Left, class Right>
    requires detail::elementwise_arguments<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator>(Left&& a, Right&& b) noexcept {
    return detail::elementwise(detail::greater_function{}, std::forward<Left>(a), std::forward<Right>(b));
}

/// Whether a is at least b, elementwise.
///
///     auto capped = where(x >= 6.0f, 6.0f, x);
template <class Left, class Right>
    requires detail::elementwise_arguments<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator>=(Left&& a, Right&& b) noexcept {
    return detail::elementwise(detail::greater_equal_function{}, std::forward<Left>(a), std::forward<Right>(b));
}

/// Whether both are true, elementwise; bool elements. Both sides are evaluated.
///
///     auto inside = x > 0.0f && x < 1.0f;
template <class Left, class Right>
    requires detail::elementwise_arguments<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator&&(Left&& a, Right&& b) noexcept {
    return detail::elementwise(detail::and_function{}, std::forward<Left>(a), std::forward<Right>(b));
}

/// Whether at least one is true, elementwise; bool elements. Both sides are evaluated.
///
///     auto outside = x < 0.0f || x > 1.0f;
template <class Left, class Right>
    requires detail::elementwise_arguments<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator||(Left&& a, Right&& b) noexcept {
    return detail::elementwise(detail::or_function{}, std::forward<Left>(a), std::forward<Right>(b));
}

/// The negation of each element; bool elements.
///
///     auto rest = !(x > bias);
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator!(Expression&& x) noexcept {
    return detail::elementwise(detail::not_function{}, std::forward<Expression>(x));
}

// Not written with the operators above, so that each error has three lines less.

/// d = d + e; d is a named tensor or a view, which e may refer to.
///
///     x += attention(q, k, v);
template <detail::writable Destination, class Expression>
    requires detail::elementwise_arguments<Destination, Expression>
ASHLAR_ALWAYS_INLINE constexpr Destination operator+=(Destination&& d, Expression&& e) noexcept {
    d = detail::elementwise(detail::plus_function{}, d, std::forward<Expression>(e));
    return std::forward<Destination>(d);
}

/// d = d - e.
///
///     x -= mean<-1>(x, keep_dims);
template <detail::writable Destination, class Expression>
    requires detail::elementwise_arguments<Destination, Expression>
ASHLAR_ALWAYS_INLINE constexpr Destination operator-=(Destination&& d, Expression&& e) noexcept {
    d = detail::elementwise(detail::minus_function{}, d, std::forward<Expression>(e));
    return std::forward<Destination>(d);
}

/// d = d * e, element by element.
///
///     x *= 0.5f;
template <detail::writable Destination, class Expression>
    requires detail::elementwise_arguments<Destination, Expression>
ASHLAR_ALWAYS_INLINE constexpr Destination operator*=(Destination&& d, Expression&& e) noexcept {
    d = detail::elementwise(detail::times_function{}, d, std::forward<Expression>(e));
    return std::forward<Destination>(d);
}

/// d = d / e, element by element.
///
///     x /= max(x);
template <detail::writable Destination, class Expression>
    requires detail::elementwise_arguments<Destination, Expression>
ASHLAR_ALWAYS_INLINE constexpr Destination operator/=(Destination&& d, Expression&& e) noexcept {
    d = detail::elementwise(detail::divides_function{}, d, std::forward<Expression>(e));
    return std::forward<Destination>(d);
}

/// d = d % e; integers only.
///
///     tensor<std::int32_t, 3> counts{12, 7, 30};
///     counts %= 10;
template <detail::writable Destination, class Expression>
    requires detail::elementwise_arguments<Destination, Expression>
ASHLAR_ALWAYS_INLINE constexpr Destination operator%=(Destination&& d, Expression&& e) noexcept {
    d = detail::elementwise(detail::modulo_function{}, d, std::forward<Expression>(e));
    return std::forward<Destination>(d);
}

}  // namespace ashlar
