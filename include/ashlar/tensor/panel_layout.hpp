// SPDX-License-Identifier: BSL-1.0
// Where the elements of a packed matrix lie: one rule for those who compute with it and those who fill it from files.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

/// Where element (row, column) of a matrix lies that is held in panels of `panel` columns, each [rows][columns of the
/// panel]; the last one may be narrower, so there is no padding.
ASHLAR_ALWAYS_INLINE constexpr std::size_t panel_offset(std::size_t panel, std::size_t rows, std::size_t columns,
                                                        std::size_t row, std::size_t column) noexcept {
    const std::size_t first = column / panel * panel;
    const std::size_t across = columns - first < panel ? columns - first : panel;
    return rows * first + row * across + (column - first);
}

}  // namespace ashlar::detail
