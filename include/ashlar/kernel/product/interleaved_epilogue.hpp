// SPDX-License-Identifier: BSL-1.0
// Epilogues of many instructions: a block's sums wait in the result and are finished beside the next block's
// multiply-adds.
//
// Applied to all sums of a block when it is done, a function like gelu leaves the units of the multiply-adds idle, and
// beside their registers there is no room for its constants; between depth steps it fills ports that they leave idle,
// and gelu costs half as much.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/storing_epilogue.hpp>

namespace ashlar::detail {

template <class Inner, std::size_t Depth>
struct interleaved_epilogue : storing_epilogue<Inner> {
    using vec = typename Inner::vec;

    /// No block has more sums.
    static constexpr std::size_t most_waiting = 24;
    static constexpr std::size_t interleave_period = Depth >= 16 * most_waiting ? 16 : 8;
    static constexpr bool rolls = true;
    static constexpr hook hooks = storing_epilogue<Inner>::hooks | hook::interleave;

    std::size_t next_row = 0, next_column = 0;  ///< of the next vector that waits
    std::size_t first_column = 0, last_column = 0;
    std::size_t waiting = 0;

    ASHLAR_STAGE_INLINE void end_block(std::size_t i, std::size_t rows, std::size_t j, std::size_t vectors) {
        finish();
        next_row = i;
        next_column = first_column = j;
        last_column = j + vectors * vec::size;
        waiting = rows * vectors;
    }
    ASHLAR_STAGE_INLINE void interleave() {
        if (waiting != 0) finish_next();
    }
    /// What still waits after the last block.
    ASHLAR_STAGE_INLINE void finish() {
        while (waiting != 0) finish_next();
    }

private:
    ASHLAR_STAGE_INLINE void finish_next() {
        this->finish_vector(next_row, next_column);
        next_column += vec::size;
        if (next_column == last_column) {
            next_column = first_column;
            ++next_row;
        }
        --waiting;
    }
};

}  // namespace ashlar::detail
