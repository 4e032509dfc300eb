// SPDX-License-Identifier: BSL-1.0
// How a product is cut into register blocks: a constexpr search over a small cost model of the core.
//
// A block is `rows` scalars x `vectors` registers of accumulators. Its price per depth step, in half cycles (one
// FMA or one load each; two of both per cycle), is the largest of
//   1. rows * vectors      the multiply-adds,
//   2. rows + vectors      the loads: one broadcast per row (two without AVX: it is a shuffle too), one vector per
//                          column,
//   3. latency / chains    what dependent multiply-adds wait; `chains` splits the depth into independent sums,
// and its price per block is the loop's start, the epilogue and, where an axis does not divide, a second body.
#pragma once

#include <cstddef>

#include <ashlar/kernel/machine.hpp>

namespace ashlar::inline v0_1::detail {

/// An axis split into near-equal blocks: the first `large_blocks` have `large` elements, the others one fewer.
struct axis_split {
    std::size_t extent;
    std::size_t blocks;
    std::size_t large;
    std::size_t large_blocks;

    /// Elements of block b.
    constexpr std::size_t size(std::size_t b) const { return b < large_blocks ? large : large - 1; }

    /// First element of block b; `first(blocks)` is the extent.
    constexpr std::size_t first(std::size_t b) const { return b * large - (b > large_blocks ? b - large_blocks : 0); }

    /// The block that holds element e.
    constexpr std::size_t block_of(std::size_t e) const {
        const std::size_t in_large = large_blocks * large;
        return e < in_large || large == 1 ? e / large : large_blocks + (e - in_large) / (large - 1);
    }

    /// Blocks that begin before element e, which is at most the extent.
    constexpr std::size_t blocks_before(std::size_t e) const { return e == 0 ? 0 : block_of(e - 1) + 1; }

    friend constexpr bool operator==(const axis_split&, const axis_split&) = default;
};

/// Splits `extent` into `blocks` blocks whose sizes differ by at most one.
constexpr axis_split split_near_equal(std::size_t extent, std::size_t blocks) {
    if (extent == 0) return {0, 0, 1, 0};
    if (blocks > extent) blocks = extent;
    const std::size_t large = (extent + blocks - 1) / blocks;
    return {extent, blocks, large, extent - blocks * (large - 1)};
}

/// The cut of a product: the split of the scalar axis and of the axis of vectors, and the independent sums of each
/// accumulator.
struct register_block {
    axis_split rows;
    axis_split vectors;
    std::size_t chains;

    friend constexpr bool operator==(const register_block&, const register_block&) = default;
};

/// Whether rows x vectors accumulators, the vectors of one depth step and a broadcast fit the registers, and compilers
/// keep them there. With 32 registers clang spills at 7 x 4 and 11 x 2 accumulators (57% and 70% of the peak instead of
/// 90).
constexpr bool fits_registers(std::size_t rows, std::size_t vectors, const machine& m) {
    const std::size_t accumulators = rows * vectors;
    if (!m.native) return accumulators <= 4;
    // A vector that only one row uses is a memory operand.
    const std::size_t held = rows == 1 ? 1 : vectors, spare = m.scalar_operands ? 0 : 2;
    if (accumulators + held + spare > m.registers) return false;
    // Blocks are unrolled: more sums add code and little speed.
    if (m.single_issue && m.small_code) return accumulators <= 16;
    if (m.registers <= 16) return true;
    return accumulators <= (vectors == 2 ? 20 : 24);
}

/// Independent sums per accumulator: as many as hide the latency of a multiply-add, if registers suffice.
constexpr std::size_t depth_chains(std::size_t rows, std::size_t vectors, std::size_t depth, const machine& m) {
    // Two units with a latency of 4 need 8 sums in flight. Exactly 8 fall behind at every late load.
    constexpr std::size_t in_flight = 12;
    std::size_t chains = 1;
    while (m.native && !m.single_issue && rows * vectors * chains < in_flight && chains < 4 && depth >= 4 * chains &&
           fits_registers(rows * chains * 2, vectors, m))
        chains *= 2;
    return chains;
}

/// Half cycles of one block over the whole depth.
constexpr std::size_t block_cost(std::size_t rows, std::size_t vectors, std::size_t depth, const machine& m) {
    // Two units with a latency of 4. With fused multiply-adds, late loads delay blocks of exactly 8 sums.
    const std::size_t latency = m.fused ? 9 : 8, start = 14;
    if (m.single_issue) {
        constexpr std::size_t count_and_branch = 4;
        return depth * (rows * vectors + rows + vectors + count_and_branch) + start + 4 * rows * vectors;
    }
    const std::size_t chains = depth_chains(rows, vectors, depth, m);
    std::size_t step = rows * vectors;
    const std::size_t loads = (m.fused ? rows : 2 * rows) + vectors;
    if (loads > step) step = loads;
    const std::size_t wait = (latency + chains - 1) / chains;
    if (wait > step) step = wait;
    return depth * step + start + rows * vectors;
}

/// The best cut of `rows` x `vectors` over `depth`: the cheapest by the model, then the fewest blocks. If a granule
/// divides the rows, all blocks have one size that divides the granule.
constexpr register_block choose_register_block(std::size_t rows, std::size_t vectors, std::size_t depth,
                                               const machine& m, std::size_t granule = 0) {
    constexpr std::size_t most_vectors = 24, most_rows = 24;
    // On small memories, code that rarely runs does not pay.
    const std::size_t second_body = !m.single_issue ? 16 : m.small_code ? 65536 : 4096;
    std::size_t best_cost = static_cast<std::size_t>(-1);
    register_block best{split_near_equal(rows, rows), split_near_equal(vectors, vectors), 1};
    for (std::size_t nj = 1; nj <= most_vectors && nj <= vectors; ++nj) {
        const axis_split across = split_near_equal(vectors, (vectors + nj - 1) / nj);
        if (across.large != nj) continue;
        for (std::size_t mi = 1; mi <= most_rows && mi <= rows; ++mi) {
            const axis_split down = split_near_equal(rows, (rows + mi - 1) / mi);
            if (!fits_registers(mi, nj, m)) break;
            if (down.large != mi) continue;
            if (granule != 0 && rows % granule == 0 && granule % mi != 0) continue;
            std::size_t cost = 0;
            for (std::size_t small_j = 0; small_j < 2; ++small_j)
                for (std::size_t small_i = 0; small_i < 2; ++small_i) {
                    const std::size_t count = (small_i ? down.blocks - down.large_blocks : down.large_blocks) *
                                              (small_j ? across.blocks - across.large_blocks : across.large_blocks);
                    if (count != 0) cost += second_body + count * block_cost(mi - small_i, nj - small_j, depth, m);
                }
            if (cost < best_cost) {
                best_cost = cost;
                best = {down, across, depth_chains(mi, nj, depth, m)};
            }
        }
    }
    return best;
}

}  // namespace ashlar::detail
