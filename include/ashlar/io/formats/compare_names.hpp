// SPDX-License-Identifier: BSL-1.0
// Comparing and searching names in few steps of the compiler: constant expressions count them, and std::char_traits
// takes a call for each character.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

/// The order of two names whose first `same` characters are equal; afterwards it counts all equal ones.
ASHLAR_ALWAYS_INLINE constexpr int compare_names_from(std::size_t& same, std::string_view a,
                                                      std::string_view b) noexcept {
    const std::size_t length = a.size() < b.size() ? a.size() : b.size();
    const char *x = a.data() + same, *y = b.data() + same, *const end = a.data() + length;
    while (x != end && *x == *y) ++x, ++y;
    same = static_cast<std::size_t>(x - a.data());
    if (x != end) return static_cast<unsigned char>(*x) < static_cast<unsigned char>(*y) ? -1 : 1;
    return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

/// Below 0, 0, or above 0: the order of two names, as std::string_view::compare has it.
ASHLAR_ALWAYS_INLINE constexpr int compare_names(std::string_view a, std::string_view b) noexcept {
    if (!std::is_constant_evaluated()) return a.compare(b);
    std::size_t same = 0;
    return compare_names_from(same, a, b);
}

/// Where a character is first, or npos.
ASHLAR_ALWAYS_INLINE constexpr std::size_t position_of(std::string_view text, char wanted) noexcept {
    const char *at = text.data(), *const end = at + text.size();
    while (at != end && *at != wanted) ++at;
    return at == end ? std::string_view::npos : static_cast<std::size_t>(at - text.data());
}

}  // namespace ashlar::detail
