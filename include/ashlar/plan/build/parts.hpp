// SPDX-License-Identifier: BSL-1.0
// What an evaluation consists of where that is not one plan: expressions that run one after the other.
#pragma once

#include <cstddef>

namespace ashlar::detail {

/// Expressions that run one after the other, all of them so many times.
template <std::size_t Times, class... Expression>
struct plan_part {
    static constexpr std::size_t times = Times;
};

/// Parts in the order in which they run.
template <class... Parts>
struct plan_parts {
    template <class... More>
    consteval plan_parts<Parts..., More...> operator+(plan_parts<More...>) const noexcept {
        return {};
    }
};

/// The parts of an evaluation; whoever evaluates an expression in parts specialises it. None: there is one plan.
template <class Expression>
inline constexpr plan_parts<> plan_parts_of{};

}  // namespace ashlar::detail
