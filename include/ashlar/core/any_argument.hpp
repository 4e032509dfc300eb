// SPDX-License-Identifier: BSL-1.0
// What functions take when they are called otherwise than they are declared, for the sake of one short error.
#pragma once

#include <initializer_list>

#include <ashlar/core/concepts.hpp>

namespace ashlar::detail {

/// Any argument, braces too. Every function of a user's that can be called is a better match.
struct any_argument {
    any_argument() = default;
    template <class Argument>
    constexpr any_argument(const Argument&) noexcept {}
    constexpr any_argument(std::initializer_list<any_argument>) noexcept {}
};

/// Any argument but an expression. So it is no call by mistake to ask whether a module takes an option, or a mask.
struct no_expression {
    template <class Argument>
        requires(!any_expression<Argument>)
    constexpr no_expression(const Argument&) noexcept {}
    constexpr no_expression(std::initializer_list<any_argument>) noexcept {}
};

/// Whether a function is called as it is declared: never where this is asked.
template <auto... Given>
struct called_as_declared {
    static constexpr bool holds = false;
};
/// The same of one that is given types.
template <class... Given>
struct called_with_types {
    static constexpr bool holds = false;
};

}  // namespace ashlar::detail
