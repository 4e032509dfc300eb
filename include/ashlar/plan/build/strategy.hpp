// SPDX-License-Identifier: BSL-1.0
// How stages run, as the plan decides it: nothing about it is decided again where they run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ashlar::detail {

/// The tiles of rows that a stage runs over. Where the rows do not divide, the last tile has fewer of them, and a
/// strategy of its own.
inline constexpr std::size_t full_tile = 0, last_tile = 1, tile_kinds = 2;

/// What neighbouring stages do together.
enum class fusion : std::uint8_t {
    none,  // they run one after the other
};

/// How a stage runs over the rows of one tile.
struct stage_strategy {
    bool outlined = false;  // in a function of its own, which costs the compiler less than one large one
};

}  // namespace ashlar::detail
