// SPDX-License-Identifier: BSL-1.0
// The plans of an evaluation in parts: expressions that run one after the other, and how often.
#pragma once

#include <cstddef>

namespace ashlar::inline v0_1::detail {

/// Expressions that run one after the other, all of them `Times` times.
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

}  // namespace ashlar::detail
