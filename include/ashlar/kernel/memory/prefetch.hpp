// SPDX-License-Identifier: BSL-1.0
// Prefetches memory before its use, a little at a time.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

/// Bytes of one prefetch.
inline constexpr std::size_t cache_line_bytes = 64;

/// Prefetches the cache line at p; never faults, and does nothing if the compiler has no such instruction.
ASHLAR_ALWAYS_INLINE void prefetch([[maybe_unused]] const void* p) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(p);
#endif
}

/// The same into L2 only: lines that map to one set of L1 would evict each other.
ASHLAR_ALWAYS_INLINE void prefetch_to_l2([[maybe_unused]] const void* p) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(p, 0, 2);
#endif
}

/// Memory that is read soon, front to back. It is prefetched into L2: a panel of weights may be larger than L1, and
/// would evict itself and the rows in use.
struct prefetch_stream {
    const char* next = nullptr;
    const char* end = nullptr;

    /// Prefetches the next `Lines` cache lines.
    template <std::size_t Lines>
    ASHLAR_ALWAYS_INLINE void advance() noexcept {
        if (next >= end) return;
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < Lines; ++i) prefetch_to_l2(next + i * cache_line_bytes);
        next += Lines * cache_line_bytes;
    }
};

/// A block of columns that is read soon: `LinesPerRow` cache lines of each row, rows `RowBytes` apart; into L1, or into
/// L2 only.
template <std::size_t LinesPerRow, std::size_t RowBytes, bool IntoL1 = true>
struct prefetch_block {
    const char* next = nullptr;
    std::size_t rows = 0;
    std::size_t lines = LinesPerRow;

    /// Prefetches the next `Lines` cache lines.
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
