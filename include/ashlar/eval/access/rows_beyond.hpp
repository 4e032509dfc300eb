// SPDX-License-Identifier: BSL-1.0
// Rows beyond those that are requested. A tile computes them too, from arbitrary memory, and must do no harm.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include <ashlar/eval/frame.hpp>
#include <ashlar/expr/elementwise/functions.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether the requested rows need the element of node Id at these coordinates. False if a mask decides it, because
/// that takes long to find.
template <node_index Id, class Plan, class Element, std::size_t Rank>
ASHLAR_ALWAYS_INLINE constexpr bool is_requested([[maybe_unused]] const frame<Plan, Element>& f,
                                                 [[maybe_unused]] const std::array<std::size_t, Rank>& at) {
    if constexpr (!Plan::rows_type::are_limited) {
        return true;
    } else {
        using Result = typename Plan::expression_type::shape_type;
        constexpr node_needs needs = Plan::needs[Id];
        std::array<std::size_t, Result::rank - 2> entry{};
        entry.fill(static_cast<std::size_t>(-1));
        for (std::size_t a = 0; a < Rank; ++a)
            if (needs.root_axis[a] < Result::rank - 2) entry[needs.root_axis[a]] = at[a];
        for (std::size_t a = 0; a < Rank; ++a) {
            if (!needs.of[a].stop()) continue;
            if (needs.of[a] != entry_limits::rows() || at[a] >= f.limit.template most<Result>(entry)) return false;
        }
        return true;
    }
}

/// The entry of a table that an index selects. After the last requested row the index may be any number, as after the
/// last token of a sentence.
template <std::size_t Extent, class Plan>
ASHLAR_ALWAYS_INLINE constexpr std::size_t entry_of_table(std::size_t chosen) {
    if constexpr (Plan::rows_type::are_limited)
        return chosen < Extent ? chosen : 0;
    else
        return chosen;
}

/// Operand Index of a Function, whose divisors may be zero there.
template <class Plan, class Function, std::size_t Index, class Lanes>
ASHLAR_ALWAYS_INLINE constexpr Lanes harmless(Lanes x) {
    constexpr bool divides = std::is_same_v<Function, divides_function> || std::is_same_v<Function, modulo_function>;
    if constexpr (!Plan::rows_type::are_limited || !divides || Index != 1)
        return x;
    else if constexpr (!std::is_integral_v<typename Lanes::value_type>)
        return x;
    else
        return select(x == Lanes(0), Lanes(1), x);
}

}  // namespace ashlar::detail
