// SPDX-License-Identifier: BSL-1.0
// Minus infinity from its bits: -ffast-math may fold a comparison away.
#pragma once

#include <cstdint>
#include <limits>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

template <class Element>
ASHLAR_ALWAYS_INLINE constexpr bool is_minus_infinity(Element x) noexcept {
    if constexpr (sizeof(Element) == sizeof(std::uint32_t))
        return __builtin_bit_cast(std::uint32_t, x) == 0xff800000u;
    else if constexpr (sizeof(Element) == sizeof(std::uint64_t))
        return __builtin_bit_cast(std::uint64_t, x) == 0xfff0000000000000u;
    else
        return x < std::numeric_limits<Element>::lowest();
}

}  // namespace ashlar::detail
