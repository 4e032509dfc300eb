// SPDX-License-Identifier: BSL-1.0
// How many rows a tile has: a cost model of two constants and the size of the second cache.
#pragma once

#include <ashlar/plan/build/program.hpp>

namespace ashlar::detail {

/// Rows of a tile where its scratch allows: two registers of rows keep the multiply-adds busy and let the exponentials
/// of one stand beside the products of the other. Taller tiles would read right operands less often, which gains
/// nothing.
inline constexpr std::size_t tall_tile_rows = 32;
/// Rows where a tall tile's scratch would come back from behind the second cache and a flat one's does not. Every right
/// operand is then read twice as often: attention to 4,096 keys of 64 gained 4% before it went by blocks of keys, to
/// 2,048, where both fit, it would have lost 3%.
inline constexpr std::size_t flat_tile_rows = tall_tile_rows / 2;

/// Bytes of memory that the buffers made for a tile of rows occupy, wherever several of them share it.
constexpr std::size_t tile_bytes(const program& plan) {
    const auto is_of_tile = [&](const plan_buffer& b) {
        for (loop_index l = b.scope; l != no_loop; l = plan.loops[l].parent)
            if (plan.loops[l].rows) return true;
        return false;
    };
    std::size_t covered = 0, bytes = 0;
    for (;;) {  // the next stretch of memory behind what has been counted
        std::size_t first = static_cast<std::size_t>(-1), last = 0;
        for (std::size_t i = 0; i < plan.buffer_count; ++i) {
            const plan_buffer& b = plan.buffers[i];
            const std::size_t begin = b.offset > covered ? b.offset : covered, end = b.offset + b.bytes;
            if (end > covered && begin <= first && is_of_tile(b)) {
                if (begin < first || end > last) last = end;
                first = begin;
            }
        }
        if (first == static_cast<std::size_t>(-1)) return bytes;
        bytes += last - first;
        covered = last;
    }
}

}  // namespace ashlar::detail
