// SPDX-License-Identifier: BSL-1.0
// How many rows a tile has: a cost model of two constants and the size of the second cache.
#pragma once

#include <ashlar/kernel/machine.hpp>
#include <ashlar/plan/build/program.hpp>
#include <ashlar/plan/graph/graph.hpp>

namespace ashlar::inline v0_1::detail {

/// Rows of a tile where its scratch allows: two registers of rows keep the multiply-adds busy and let the exponentials
/// of one stand beside the products of the other. Taller tiles would read right operands less often, which gains
/// nothing.
inline constexpr std::size_t tall_tile_rows = 32;
/// Rows where a tall tile's scratch would come back from behind the second cache and a flat one's does not. Every right
/// operand is then read twice as often: attention to 4,096 keys of 64 gained 4% before it went by blocks of keys, to
/// 2,048, where both fit, it would have lost 3%.
inline constexpr std::size_t flat_tile_rows = tall_tile_rows / 2;

/// Rows whose left operand is rounded to 8 bits at once where no tiles are needed: enough that weights, which are read
/// once for each tile, cost next to nothing, in an eighth of the second cache, so that they stay beside those weights.
/// As powers of two such tiles divide rows that are one as well.
inline constexpr std::size_t most_rounded_rows = 128;
constexpr std::size_t rounded_rows_at_once(std::size_t depth, const machine& target) {
    std::size_t rows = most_rounded_rows;
    while (rows > flat_tile_rows && rows * depth > target.l2_bytes / 8) rows /= 2;
    return rows;
}

/// The most rows that tiles of a loop may have for the products in it that round their left operands; `rows` if there
/// is none.
constexpr std::size_t rows_to_round_in(const program& plan, const graph_node* nodes, const machine& target,
                                       loop_index loop, std::size_t rows) {
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        const plan_stage& stage = plan.stages[s];
        if (stage.kind != stage_kind::product || !is_loop_inside(plan, stage.loop, loop)) continue;
        node_index right = nodes[stage.core].operands[1];
        while (nodes[right].kind == node_kind::let || nodes[right].kind == node_kind::let_value)
            right = nodes[right].same_as;
        if (!nodes[right].quantized) continue;
        const std::size_t most = rounded_rows_at_once(nodes[right].extents[0], target);
        if (most < rows) rows = most;
    }
    return rows;
}

/// Rows of tiles of at most so many, nearly as many in each: whole flat tiles, so that they end where registers do.
constexpr std::size_t near_equal_tiles(std::size_t extent, std::size_t most) {
    if (extent <= most) return extent;
    const std::size_t tiles = (extent + most - 1) / most, rows = (extent + tiles - 1) / tiles;
    return (rows + flat_tile_rows - 1) / flat_tile_rows * flat_tile_rows;
}

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
