// SPDX-License-Identifier: BSL-1.0
// How a product is cut, decided by its shape and the machine: register blocks, strips, packed last columns, and the
// tables that kernels make of what they pack.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/kernel/machine.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/product/register_block.hpp>

namespace ashlar::detail {

/// What decisions have to know of elements and of the machine that computes with them.
struct element_machine {
    const machine& target;
    std::size_t bytes;
    bool floating = true;

    constexpr std::size_t lanes() const { return target.lanes(bytes); }
    constexpr bool shuffles() const { return target.shuffles(bytes, floating); }
};

template <class Element, class Config>
inline constexpr element_machine element_machine_of{machine_of<Config>, sizeof(Element),
                                                    std::is_floating_point_v<Element>};

/// Depth steps in one vector of a product whose right operand is a strip; 1 if it is none.
constexpr std::size_t choose_strip_steps(const product_shape& p, const element_machine& on) {
    const std::size_t width = on.lanes();
    const bool is_strip = p.pack && 2 * p.j <= width && width % p.j == 0 && p.vk == p.j && p.sk == 1;
    return is_strip && on.shuffles() && p.k >= 2 * (width / p.j) ? width / p.j : 1;
}

/// Bytes of scratch that the packed columns of a product may take.
inline constexpr std::size_t most_packed_bytes = 8 * 1024;

/// Bytes of the last columns of a product of that depth, so many depth steps of each side by side.
constexpr std::size_t packed_column_bytes(std::size_t depth, std::size_t steps, const element_machine& on) {
    return (depth + steps - 1) / steps * on.lanes() * on.bytes;
}

/// Depth steps side by side in the vector of the last columns; 1 if these are an ordinary, partial vector.
constexpr std::size_t choose_packed_steps(const product_shape& p, const element_machine& on) {
    const std::size_t width = on.lanes(), columns = p.j % width;
    if (!p.pack || !on.shuffles() || choose_strip_steps(p, on) != 1) return 1;
    if (p.sk != 1 || columns == 0 || 2 * columns > width) return 1;
    std::size_t depth = width;
    while (depth > 1 && (columns * depth > width || depth > p.k)) depth /= 2;
    // What it saves against interleaving the columns and folding the rows, in half cycles.
    const std::size_t steps = (p.k + depth - 1) / depth, saved = p.i * (p.k - steps), spent = 3 * p.k + 6 * p.i;
    return saved > spent && packed_column_bytes(p.k, depth, on) <= most_packed_bytes ? depth : 1;
}

/// The register blocks of a product. The vectors are all of them, or the full ones if the last columns are packed.
constexpr register_block choose_blocks(const product_shape& p, const element_machine& on) {
    const std::size_t width = on.lanes(), vectors = p.j / width + (p.j % width != 0 && choose_packed_steps(p, on) == 1);
    register_block blocks = choose_register_block(p.i, vectors == 0 ? 1 : vectors, p.k, on.target, p.granule);
    if (vectors == 0) blocks.vectors = split_near_equal(0, 0);
    return blocks;
}

/// The cut of a product. Packed columns take the whole depth at once, and neither these nor strips have room for other
/// work beside their multiply-adds: without `pack` there are none.
constexpr product_cut choose_cut(const product_shape& p, const element_machine& on, bool whole_depth = true) {
    const register_block blocks = choose_blocks(p, on);
    product_cut cut;
    cut.row_blocks = static_cast<std::uint32_t>(blocks.rows.blocks);
    cut.vector_blocks = static_cast<std::uint32_t>(blocks.vectors.blocks);
    cut.chains = static_cast<std::uint8_t>(blocks.chains);
    cut.strip_steps = static_cast<std::uint8_t>(choose_strip_steps(p, on));
    cut.last_steps = static_cast<std::uint8_t>(choose_packed_steps(p, on));
    cut.packs = cut.last_steps != 1 && whole_depth;
    return cut;
}

/// The register blocks of a product that is cut.
constexpr register_block blocks_of(const product_shape& p, std::size_t width) {
    const std::size_t vectors = p.j / width + (p.j % width != 0 && p.cut.last_steps == 1);
    return {split_near_equal(p.i, p.cut.row_blocks), split_near_equal(vectors, p.cut.vector_blocks), p.cut.chains};
}

/// Bytes of scratch that a product takes which is cut so.
constexpr std::size_t table_bytes_of(const product_cut& cut, std::size_t depth, const element_machine& on) {
    return cut.packs ? packed_column_bytes(depth, cut.last_steps, on) : 0;
}

/// The same product without its first rows.
constexpr product_shape without_rows(product_shape p, std::size_t rows) {
    p.i -= rows;
    return p;
}

/// Rows of the blocks that transpose the right operand: many, as all columns' transposition is spread over these, and
/// so many that the other rows are whole blocks.
constexpr std::size_t choose_transposing_rows(const product_shape& p, const element_machine& on) {
    constexpr std::size_t most = 10;
    if (p.i <= most) return p.i;
    const std::size_t usual = choose_blocks(p, on).rows.large;
    for (std::size_t rows = most; rows > 5; --rows)
        if ((p.i - rows) % usual == 0) return rows;
    return most;
}

/// The product of the rows that do not transpose, or all of it where all do.
constexpr product_shape behind_transposing_rows(const product_shape& p) {
    return p.cut.transposing_rows == p.i ? p : without_rows(p, p.cut.transposing_rows);
}

/// The cut of a product that transposes its right operand: of the rows that do not.
constexpr product_cut choose_transposing_cut(product_shape p, const element_machine& on) {
    p.cut.transposing_rows = static_cast<std::uint8_t>(choose_transposing_rows(p, on));
    product_cut cut = choose_cut(behind_transposing_rows(p), on);
    cut.transposing_rows = p.cut.transposing_rows;
    return cut;
}

/// Columns of a product of few rows that are computed side by side: a multiple of those that one vector holds in the
/// end.
constexpr std::size_t packed_k_together(std::size_t packs, const machine& target) {
    const std::size_t most_sums = target.registers >= 32 ? 16 : 8;
    return packs >= most_sums ? packs : most_sums;
}

/// Multiply-adds of one block that are straight code; so much of the packed rows stays in registers.
inline constexpr std::size_t most_unrolled = 64;

/// Bytes of scratch that a product of few rows, packed, needs: few packed rows stay in registers, and where the columns
/// are few, each packed vector is used once.
constexpr std::size_t packed_k_table_bytes(const packed_k_shape& p, const element_machine& on) {
    const std::size_t packs = on.lanes() / packed_k_line(p.rows), steps = p.depth / packs,
                      together = packed_k_together(packs, on.target);
    return steps * together <= most_unrolled || p.columns <= together ? 0 : steps * on.lanes() * on.bytes;
}

}  // namespace ashlar::detail
