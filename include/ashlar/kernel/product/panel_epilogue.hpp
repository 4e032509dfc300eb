// SPDX-License-Identifier: BSL-1.0
// Epilogues for panels of a right operand: they place columns, and prefetch the memory that is read next.
//
// Weights are read once per tile of rows, in an order that the plan knows. Hardware prefetchers follow one stream
// inside a panel, but not from panel to panel, nor from one product to the next. So all row blocks prefetch the next
// panel in small portions between their multiply-adds.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/memory/prefetch.hpp>
#include <ashlar/kernel/product/epilogue.hpp>

namespace ashlar::inline v0_1::detail {

/// Cache lines to prefetch in each call of `interleave`, so that all row blocks together prefetch what they read.
constexpr std::size_t lines_at_once(std::size_t bytes_per_step, std::size_t row_blocks) {
    return (interleave_period * bytes_per_step / cache_line_bytes + row_blocks - 1) / row_blocks;
}

/// Columns of a panel, numbered as columns of the product.
struct panel_place {
    std::size_t first_column;
    ASHLAR_ALWAYS_INLINE static std::size_t row(std::size_t i) { return i; }
    ASHLAR_ALWAYS_INLINE std::size_t column(std::size_t j) const { return j + first_column; }
};
template <class Inner>
using panel_epilogue = forwarding_epilogue<Inner, panel_place>;

/// The same, and prefetches the memory `Ahead` between the multiply-adds of a panel's row blocks.
template <class Inner, std::size_t BytesPerStep, std::size_t RowBlocks, class Ahead = prefetch_stream>
struct prefetching_epilogue : panel_epilogue<Inner> {
    static constexpr hook hooks = Inner::hooks | hook::interleave;
    Ahead ahead;

    ASHLAR_STAGE_INLINE void interleave() { ahead.template advance<lines_at_once(BytesPerStep, RowBlocks)>(); }
};

}  // namespace ashlar::detail
