// SPDX-License-Identifier: BSL-1.0
// Parameter types of functions that only report a wrong call, each as one short error.
#pragma once

#include <initializer_list>

#include <ashlar/core/axis.hpp>

namespace ashlar::inline v0_1::detail {

/// Any argument, braces too. Every function of a user's that can be called is a better match.
struct any_argument {
    any_argument() = default;
    template <class Argument>
    constexpr any_argument(const Argument&) noexcept {}
    constexpr any_argument(std::initializer_list<any_argument>) noexcept {}
};

/// The first parameter of functions that only say how they are called. Overload resolution accepts any argument for it,
/// but its conversion is deleted. So the error contains the text, and `requires` finds no such call.
template <fixed_string Text>
struct refused_call {
    template <class Argument>
    constexpr refused_call(const Argument&) = delete;
    constexpr refused_call(std::initializer_list<any_argument>) = delete;
};

}  // namespace ashlar::detail
