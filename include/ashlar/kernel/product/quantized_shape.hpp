// SPDX-License-Identifier: BSL-1.0
// Products with a matrix in 8 bits: extents, register blocks, and the scratch for the left operand's rounded rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/interleaved_layout.hpp>
#include <ashlar/core/smoothed.hpp>
#include <ashlar/kernel/machine.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/product/register_block.hpp>

namespace ashlar::inline v0_1::detail {

/// `rows` rows of floats, `row_distance` apart, times a matrix with the layout `right`. A row consists of `pieces` of
/// one length, anywhere in memory. Its elements are `depth_distance` apart, but contiguous if there are lanes.
struct quantized_shape {
    std::size_t rows, row_distance;
    interleaved_layout right;
    product_cut cut{};
    std::size_t pieces = 1, depth_distance = 1;

    /// Rows that one instruction takes.
    constexpr std::size_t rows_together() const { return cut.pairs_rows ? 2 : 1; }
    /// The same in units of register blocks: a step of the depth is a group, and rows are those taken together.
    constexpr product_shape in_groups() const {
        return {.i = (rows + rows_together() - 1) / rows_together(),
                .j = right.columns,
                .k = right.groups(),
                .si = 0,
                .sk = 1,
                .vk = 1,
                .cut = cut};
    }
};

/// Whether a piece of a row is whole registers and whole groups of bytes.
constexpr bool is_whole_piece(std::size_t elements, std::size_t width) {
    return elements % width == 0 && elements % 4 == 0;
}

/// Bytes from one rounded row to the next: whole cache lines, so that kernels round whole registers.
constexpr std::size_t rounded_row_bytes(std::size_t depth) { return (depth + 63) / 64 * 64; }

/// Bytes of scratch for the rounded rows of a tile, their scales and the start values of their sums.
constexpr std::size_t rounded_rows_bytes(std::size_t rows, std::size_t depth, const machine& target) {
    if (target.pairs_byte_rows) rows += rows % 2;
    return rows * (rounded_row_bytes(depth) * (target.widens_bytes ? 2 : 1) + sizeof(float) + sizeof(std::int32_t));
}

/// Panels that one row reads side by side. Each is a stream, and hardware prefetchers follow a few: from L3 four panels
/// are read at 88 GB/s, 24 at 49 (Zen 4).
inline constexpr std::size_t most_streams_of_row = 4;

/// Core registers for sums, columns and rows of 16 bits: four others hold addresses and the end of the depth.
inline constexpr std::size_t dual_registers = 8;

/// Vector registers for sums if there are only eight: bytes and their products need the others.
inline constexpr std::size_t few_vector_registers = 4;

/// Whether pairs of rows lie side by side, eight bytes of each. Two rows alone take as many instructions by SDOT.
/// Outliers that are spread are rounded four at a time, which must lie within those eight.
constexpr bool pairs_rows(std::size_t rows, const interleaved_layout& right, const machine& target) {
    return target.pairs_byte_rows && rows > 2 && (right.spread <= 1 || spread_groups(right.rows).apart % 4 == 0);
}

/// The register blocks of a product by pairs of rows: those with the fewest instructions. For each pair there are two
/// sums a vector of columns, whose bytes are loaded and interleaved in two registers.
constexpr register_block choose_pair_blocks(std::size_t pairs, std::size_t vectors, std::size_t steps,
                                            const machine& m) {
    constexpr std::size_t second_body = 16, in_flight = 8;
    // Beside sums and bytes of columns: those of a pair, and what compilers need to load the next ones.
    const auto fits = [&](std::size_t down, std::size_t across) { return 2 * (down + 1) * across + 5 <= m.registers; };
    const auto cost = [&](std::size_t down, std::size_t across) {
        return steps * (2 * down * across + 4 * across + down + 3) + 10 * down * across + 8 * down + 14;
    };
    register_block best{};
    std::size_t least = static_cast<std::size_t>(-1);
    for (std::size_t v = 1; v <= vectors && fits(1, v); ++v) {
        const axis_split across = split_near_equal(vectors, (vectors + v - 1) / v);
        for (std::size_t p = 1; p <= pairs && fits(p, v); ++p) {
            const axis_split down = split_near_equal(pairs, (pairs + p - 1) / p);
            std::size_t sum = 0;
            for (std::size_t small_v = 0; small_v < 2; ++small_v)
                for (std::size_t small_p = 0; small_p < 2; ++small_p) {
                    const std::size_t count = (small_p ? down.blocks - down.large_blocks : down.large_blocks) *
                                              (small_v ? across.blocks - across.large_blocks : across.large_blocks);
                    if (count != 0) sum += second_body + count * cost(down.large - small_p, across.large - small_v);
                }
            if (sum < least) {
                least = sum;
                const std::size_t sums = 2 * down.large * across.large;
                best = {down, across, sums < in_flight && steps >= in_flight ? std::size_t{2} : 1};
            }
        }
    }
    return best;
}

/// The register blocks of such a product on a machine.
constexpr product_cut choose_quantized_cut(std::size_t rows, const interleaved_layout& right, const machine& target) {
    constexpr std::size_t element_bytes = 4, fewest_registers = 4;
    machine m = target.for_elements_of(element_bytes);
    // With 16 registers, those whose sums g++ keeps in registers.
    const std::size_t beside = m.dots_bytes ? 1 : m.registers > 16 ? 4 : 7;
    const bool pairs = pairs_rows(rows, right, target);
    // Sums and pairs of 16 bits lie in core registers, whatever float registers there are.
    if (m.sums_across)
        m.registers = 2;
    else if (m.widens_bytes)
        m.registers = dual_registers;
    else if (m.registers <= 2 * few_vector_registers)
        m.registers = few_vector_registers;
    else if (m.registers > beside + fewest_registers)
        m.registers -= beside;
    const std::size_t width = m.lanes(element_bytes), vectors = (right.columns + width - 1) / width;
    register_block blocks = pairs ? choose_pair_blocks((rows + 1) / 2, vectors, (right.groups() + 1) / 2, m)
                                  : choose_register_block(rows, vectors, right.groups(), m);
    // Two rows share the loads of four columns, each of them a load of its own.
    if (m.sums_across && rows > 1)
        blocks = {split_near_equal(rows, (rows + 1) / 2), split_near_equal(vectors, vectors), 1};
    if (const std::size_t most = most_streams_of_row * right.panel / width; rows == 1 && blocks.vectors.large > most) {
        blocks.vectors = split_near_equal(vectors, (vectors + most - 1) / most);
        blocks.chains = right.groups() >= 8 && fits_registers(2, blocks.vectors.large, m) ? 2 : 1;
    }
    product_cut cut;
    cut.row_blocks = static_cast<std::uint32_t>(blocks.rows.blocks);
    cut.vector_blocks = static_cast<std::uint32_t>(blocks.vectors.blocks);
    cut.chains = static_cast<std::uint8_t>(blocks.chains);
    cut.pairs_rows = pairs;
    return cut;
}

}  // namespace ashlar::detail
