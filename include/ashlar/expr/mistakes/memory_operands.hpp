// SPDX-License-Identifier: BSL-1.0
// Operators between an expression and memory that has no shape: errors that say how.
#pragma once

#include <ashlar/core/any_argument.hpp>
#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/tensor/memory_range.hpp>

namespace ashlar {

namespace detail {

/// Any expression, and any memory of numbers that is none. As conversions, so that every operator of a user's that can
/// be called is a better match.
struct expression_argument {
    template <any_expression Expression>
    constexpr expression_argument(const Expression&) noexcept {}
};
struct memory_argument {
    template <class Memory>
        requires number_memory<const Memory&>
    constexpr memory_argument(const Memory&) noexcept {}
};

/// What such an operator returns: an error.
template <auto... Given>
constexpr auto refused_memory() noexcept {
    static_assert(called_as_declared<Given...>::holds,
                  "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; "
                  "tensor_view<float, 2, 3>{memory} makes one of other memory");
    return refused<float, shape<>>();
}

}  // namespace detail

template <auto... Given>
constexpr auto operator+(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator+(detail::memory_argument, detail::expression_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator-(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator-(detail::memory_argument, detail::expression_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator*(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator*(detail::memory_argument, detail::expression_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator/(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator/(detail::memory_argument, detail::expression_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator%(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator%(detail::memory_argument, detail::expression_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator==(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator==(detail::memory_argument, detail::expression_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator!=(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator!=(detail::memory_argument, detail::expression_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator<(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator<(detail::memory_argument, detail::expression_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator<=(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator<=(detail::memory_argument, detail::expression_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator>(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator>(detail::memory_argument, detail::expression_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator>=(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator>=(detail::memory_argument, detail::expression_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator&&(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator&&(detail::memory_argument, detail::expression_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator||(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator||(detail::memory_argument, detail::expression_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator+=(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator-=(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator*=(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator/=(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}
template <auto... Given>
constexpr auto operator%=(detail::expression_argument, detail::memory_argument) noexcept {
    return detail::refused_memory<Given...>();
}

}  // namespace ashlar
