// SPDX-License-Identifier: BSL-1.0
// The layout of matrices whose kernels multiply several depth steps in one instruction.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

/// A matrix in panels of `panel` columns, each [groups of depth steps][columns of the panel][steps of a group]. Depth
/// and columns are padded to whole groups and panels, so that kernels load whole registers. For integers of 8 bits,
/// `spread` is the number of entries of a column that share an outlier, 1 if none do, 0 if the rows that it multiplies
/// are integers without scales.
struct interleaved_layout {
    std::size_t rows, columns;
    std::size_t panel, group;
    std::size_t spread = 1;

    ASHLAR_ALWAYS_INLINE constexpr std::size_t groups() const noexcept { return (rows + group - 1) / group; }
    ASHLAR_ALWAYS_INLINE constexpr std::size_t panels() const noexcept { return (columns + panel - 1) / panel; }
    /// Elements from one panel to the next.
    ASHLAR_ALWAYS_INLINE constexpr std::size_t panel_size() const noexcept { return groups() * group * panel; }
    /// All elements, padding included.
    ASHLAR_ALWAYS_INLINE constexpr std::size_t size() const noexcept { return panels() * panel_size(); }
    /// The offset of element (row, column).
    ASHLAR_ALWAYS_INLINE constexpr std::size_t offset(std::size_t row, std::size_t column) const noexcept {
        return column / panel * panel_size() + (row / group * panel + column % panel) * group + row % group;
    }
};

}  // namespace ashlar::detail
