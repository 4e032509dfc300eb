// SPDX-License-Identifier: BSL-1.0
// Row factors that stay in registers while lanes run along a row.
#pragma once

#include <cstddef>

namespace ashlar::detail {

/// The row factors of node Id, held in registers while lanes run along a row: a value's `hole` where nothing else is
/// one.
template <std::size_t Id, class Vec>
struct held_factors {
    Vec mean, scale;
};
template <std::size_t Id, class Hole>
inline constexpr bool holds_factors = false;
template <std::size_t Id, class Vec>
inline constexpr bool holds_factors<Id, held_factors<Id, Vec>> = true;

}  // namespace ashlar::detail
