// SPDX-License-Identifier: BSL-1.0
// Rows of a tile: a cost model of two constants and the size of L2.
#pragma once

#include <ashlar/kernel/machine.hpp>
#include <ashlar/plan/build/program.hpp>
#include <ashlar/plan/graph/graph.hpp>

namespace ashlar::inline v0_1::detail {

/// Rows of a tile if its scratch allows: two registers of rows keep the multiply-adds busy. Taller tiles would read
/// right operands less often, which gains nothing.
inline constexpr std::size_t tall_tile_rows = 32;
/// Rows of a tile if the scratch of a tall tile exceeds L2 and that of a flat one does not. Every right operand is then
/// read twice as often. Attention to 4,096 keys of 64 gained 4% before it ran in blocks of keys. At 2,048 keys, where
/// both fit, it would have lost 3%.
inline constexpr std::size_t flat_tile_rows = tall_tile_rows / 2;

/// Rows whose left operand is rounded to 8 bits at once if no tiles are needed. Enough that weights, which are read
/// once per tile, cost almost nothing; in an eighth of L2, so that the rows stay there together with the weights.
/// Powers of two, so that such tiles also divide rows that are powers of two.
inline constexpr std::size_t most_rounded_rows = 128;
constexpr std::size_t rounded_rows_at_once(std::size_t depth, const machine& target) {
    std::size_t rows = most_rounded_rows;
    while (rows > flat_tile_rows && rows * depth > target.l2_bytes / 8) rows /= 2;
    return rows;
}

/// The maximum rows of tiles of a loop because of products in it that round their left operands; `rows` if there are
/// none.
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

/// Rows of near-equal tiles of at most `most` rows: whole flat tiles, so that they end where registers do.
constexpr std::size_t near_equal_tiles(std::size_t extent, std::size_t most) {
    if (extent <= most) return extent;
    const std::size_t tiles = (extent + most - 1) / most, rows = (extent + tiles - 1) / tiles;
    return (rows + flat_tile_rows - 1) / flat_tile_rows * flat_tile_rows;
}

/// Bytes of the buffers for a tile of rows, shared memory counted once.
constexpr std::size_t tile_bytes(const program& plan) {
    const auto is_of_tile = [&](const plan_buffer& b) {
        for (loop_index l = b.scope; l != no_loop; l = plan.loops[l].parent)
            if (plan.loops[l].rows) return true;
        return false;
    };
    std::size_t covered = 0, bytes = 0;
    for (;;) {  // the next stretch of memory after what has been counted
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
