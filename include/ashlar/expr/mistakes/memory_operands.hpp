// SPDX-License-Identifier: BSL-1.0
// Reports operators between an expression and memory without a shape.
#pragma once

#include <ashlar/core/any_argument.hpp>
#include <ashlar/core/axis.hpp>
#include <ashlar/core/concepts.hpp>
#include <ashlar/tensor/memory_range.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Converts from any expression; `refused_operand` converts from other memory of numbers and is refused. As
/// conversions, every callable operator of the user is a better match.
struct expression_argument {
    template <any_expression Expression>
    constexpr expression_argument(const Expression&) noexcept {}
};
template <fixed_string Text>  // a literal: clang would print the name of a constant
struct refused_operand {
    template <class Memory>
        requires number_memory<const Memory&>
    constexpr refused_operand(const Memory&) = delete;
};

using memory_argument = refused_operand<
    "ashlar: elementwise operation: takes tensors, views or expressions, and numbers with them; tensor_view<float, 2, 3>{memory} makes one of other memory">;

}  // namespace detail

template <auto... Given>
void operator+(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator+(detail::memory_argument, detail::expression_argument);
template <auto... Given>
void operator-(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator-(detail::memory_argument, detail::expression_argument);
template <auto... Given>
void operator*(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator*(detail::memory_argument, detail::expression_argument);
template <auto... Given>
void operator/(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator/(detail::memory_argument, detail::expression_argument);
template <auto... Given>
void operator%(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator%(detail::memory_argument, detail::expression_argument);
template <auto... Given>
void operator==(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator==(detail::memory_argument, detail::expression_argument);
template <auto... Given>
void operator!=(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator!=(detail::memory_argument, detail::expression_argument);
template <auto... Given>
void operator<(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator<(detail::memory_argument, detail::expression_argument);
template <auto... Given>
void operator<=(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator<=(detail::memory_argument, detail::expression_argument);
template <auto... Given>
void operator>(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator>(detail::memory_argument, detail::expression_argument);
template <auto... Given>
void operator>=(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator>=(detail::memory_argument, detail::expression_argument);
template <auto... Given>
void operator&&(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator&&(detail::memory_argument, detail::expression_argument);
template <auto... Given>
void operator||(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator||(detail::memory_argument, detail::expression_argument);
template <auto... Given>
void operator+=(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator-=(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator*=(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator/=(detail::expression_argument, detail::memory_argument);
template <auto... Given>
void operator%=(detail::expression_argument, detail::memory_argument);

// Not templates, so that they match better than the refused calls of reductions.
void(max)(detail::expression_argument, detail::memory_argument);
void(max)(detail::memory_argument, detail::expression_argument);
void(min)(detail::expression_argument, detail::memory_argument);
void(min)(detail::memory_argument, detail::expression_argument);

}  // namespace ashlar
