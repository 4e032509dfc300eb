// SPDX-License-Identifier: BSL-1.0
// Operators on expressions: elementwise, lazy and broadcasting, with a number allowed on either side.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise.hpp>
#include <ashlar/expr/functions.hpp>
#include <ashlar/expr/memory.hpp>

namespace ashlar {

/// a + b at each place. Shapes broadcast as in NumPy, element types must be the same, a number takes the element type
/// of the expression; so for all operators here. The result is lazy.
///
///     tensor<float, 2, 3> y = x * 0.5f + bias;   // bias: tensor<float, 3>
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator+(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::plus_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// a - b at each place.
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator-(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::minus_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// a * b at each place; `matmul` is the matrix product.
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator*(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::times_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// a / b at each place; integers as in C++.
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator/(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::divides_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// Remainder of a / b at each place, as in C++; integers only.
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator%(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::modulo_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// -x of each element.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator-(E&& x) noexcept {
    return detail::elementwise(detail::negate_function{}, std::forward<E>(x));
}

/// Whether a and b are equal at each place: an expression of bool elements, as all comparisons.
///
///     auto y = where(x == 0.0f, 1.0f, x);
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator==(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::equal_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// a != b at each place.
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator!=(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::not_equal_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// a < b at each place.
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator<(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::less_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// a <= b at each place.
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator<=(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::less_equal_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// a > b at each place.
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator>(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::greater_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// a >= b at each place.
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator>=(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::greater_equal_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// Whether both are true at each place; bool elements. Both sides are evaluated.
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator&&(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::and_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// Whether one of both is true at each place; bool elements. Both sides are evaluated.
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator||(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::or_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// The opposite of each element; bool elements.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator!(E&& x) noexcept {
    return detail::elementwise(detail::not_function{}, std::forward<E>(x));
}

// Not by the operators above, for three lines less in each error.

/// d = d + e; d is a named tensor or a view, which e may refer to.
///
///     x += attention(q, k, v);
template <detail::writable D, class E>
    requires detail::elementwise_arguments<D, E>
ASHLAR_ALWAYS_INLINE constexpr D operator+=(D&& d, E&& e) noexcept {
    d = detail::elementwise(detail::plus_function{}, d, std::forward<E>(e));
    return std::forward<D>(d);
}

/// d = d - e.
template <detail::writable D, class E>
    requires detail::elementwise_arguments<D, E>
ASHLAR_ALWAYS_INLINE constexpr D operator-=(D&& d, E&& e) noexcept {
    d = detail::elementwise(detail::minus_function{}, d, std::forward<E>(e));
    return std::forward<D>(d);
}

/// d = d * e, element by element.
template <detail::writable D, class E>
    requires detail::elementwise_arguments<D, E>
ASHLAR_ALWAYS_INLINE constexpr D operator*=(D&& d, E&& e) noexcept {
    d = detail::elementwise(detail::times_function{}, d, std::forward<E>(e));
    return std::forward<D>(d);
}

/// d = d / e.
template <detail::writable D, class E>
    requires detail::elementwise_arguments<D, E>
ASHLAR_ALWAYS_INLINE constexpr D operator/=(D&& d, E&& e) noexcept {
    d = detail::elementwise(detail::divides_function{}, d, std::forward<E>(e));
    return std::forward<D>(d);
}

/// d = d % e; integers only.
template <detail::writable D, class E>
    requires detail::elementwise_arguments<D, E>
ASHLAR_ALWAYS_INLINE constexpr D operator%=(D&& d, E&& e) noexcept {
    d = detail::elementwise(detail::modulo_function{}, d, std::forward<E>(e));
    return std::forward<D>(d);
}

}  // namespace ashlar
