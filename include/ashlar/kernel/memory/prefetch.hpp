// SPDX-License-Identifier: BSL-1.0
// Asking for memory ahead of its use, a little at a time.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

/// Bytes that one request brings.
inline constexpr std::size_t cache_line_bytes = 64;

/// Asks for the cache line at p; never faults, and does nothing where the compiler knows no way.
ASHLAR_ALWAYS_INLINE void prefetch([[maybe_unused]] const void* p) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(p);
#endif
}

/// The same, into the L2 alone: lines that all fall into one set of the L1 would drive each other out of it.
ASHLAR_ALWAYS_INLINE void prefetch_to_l2([[maybe_unused]] const void* p) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(p, 0, 2);
#endif
}

/// Memory that is wanted soon, front to back. It comes into the L2: a panel of weights may be larger than the L1, and
/// would drive out itself and the rows that are in use.
struct prefetch_stream {
    const char* next = nullptr;
    const char* end = nullptr;

    /// Asks for the next `Lines` cache lines.
    template <std::size_t Lines>
    ASHLAR_ALWAYS_INLINE void advance() noexcept {
        if (next >= end) return;
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < Lines; ++i) prefetch_to_l2(next + i * cache_line_bytes);
        next += Lines * cache_line_bytes;
    }
};

/// A block of columns that is wanted soon: `LinesPerRow` cache lines of each row, rows `RowBytes` apart; in the L1, or
/// in the L2 alone.
template <std::size_t LinesPerRow, std::size_t RowBytes, bool IntoL1 = true>
struct prefetch_block {
    const char* next = nullptr;
    std::size_t rows = 0;
    std::size_t lines = LinesPerRow;

    /// Asks for the next `Lines` cache lines.
    template <std::size_t Lines>
    ASHLAR_ALWAYS_INLINE void advance() noexcept {
        if (rows == 0) return;
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < Lines; ++i) {
            if constexpr (IntoL1)
                prefetch(next);
            else
                prefetch_to_l2(next);
            next += cache_line_bytes;
            if (--lines != 0) continue;
            lines = LinesPerRow;
            next += static_cast<std::ptrdiff_t>(RowBytes) - static_cast<std::ptrdiff_t>(LinesPerRow * cache_line_bytes);
            if (--rows == 0) return;
        }
    }
};

}  // namespace ashlar::detail
