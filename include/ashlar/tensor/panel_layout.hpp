// SPDX-License-Identifier: BSL-1.0
// The layout of a packed matrix, one rule for kernels and for loading from files.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

/// The offset of element (row, column) in a matrix of panels of `panel` columns, each [rows][columns of the panel]. The
/// last panel may be narrower, so there is no padding.
ASHLAR_ALWAYS_INLINE constexpr std::size_t panel_offset(std::size_t panel, std::size_t rows, std::size_t columns,
                                                        std::size_t row, std::size_t column) noexcept {
    const std::size_t first = column / panel * panel;
    const std::size_t across = columns - first < panel ? columns - first : panel;
    return rows * first + row * across + (column - first);
}

}  // namespace ashlar::detail
