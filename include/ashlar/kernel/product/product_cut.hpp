// SPDX-License-Identifier: BSL-1.0
// Decides from the shape and the machine how a product is cut: register blocks, strips, packed last columns, and the
// tables for what kernels pack.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/kernel/machine.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/product/register_block.hpp>

namespace ashlar::inline v0_1::detail {

/// The element type and the machine, as far as decisions depend on them.
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

/// What the cut of a product depends on besides its shape.
struct cut_options {
    bool whole_depth = true;  ///< all blocks sum over the whole depth, which packed columns take at once
    bool packs = true;        ///< strips and packed columns may do: they have no room for other work
    bool from_zero = false;   ///< sums start from zero: none waits for another part of the depth
    bool splits = false;      ///< a mask may ask for the vectors of a block one by one
    bool streamed = false;    ///< V, or what it is a block of, is larger than the L1: one row reads it as one stream
    std::size_t granule = 0;  ///< if it divides i, row blocks divide it: masks that decide block by block lose least
};

/// Rows times lanes up to which a strip is read without packing. Packing its columns takes one pass over the depth and
/// saves a fold of each row: from 6 rows with AVX-512, or 11 with AVX2, strips take up to 1.6 times as long (Zen 4).
inline constexpr std::size_t most_strip_lanes = 80;

/// Depth steps in one vector if the right operand is a strip; otherwise 1.
constexpr std::size_t choose_strip_steps(const product_shape& p, const element_machine& on) {
    const std::size_t width = on.lanes();
    const bool is_strip = 2 * p.j <= width && width % p.j == 0 && p.vk == p.j && p.sk == 1;
    return is_strip && on.shuffles() && p.i * width <= most_strip_lanes && p.k >= 2 * (width / p.j) ? width / p.j : 1;
}

/// Whether blocks of a product can begin at half a register of columns.
constexpr bool takes_half_registers(const product_shape& product, std::size_t element_bytes, bool floating,
                                    const machine& m) {
    const std::size_t width = m.lanes(element_bytes);
    return width >= 4 && m.registers >= 32 && m.shuffles(element_bytes, floating) && product.sk == 1 &&
           product.k % 2 == 0 && (product.padded || product.j % (width / 2) == 0);
}
template <class Element, class Config, product_shape Product>
inline constexpr bool has_half_registers =
    takes_half_registers(Product, sizeof(Element), std::is_floating_point_v<Element>, machine_of<Config>);

/// Bytes of scratch that the packed columns of a product may take.
inline constexpr std::size_t most_packed_bytes = 8 * 1024;

/// Bytes of the last columns of a product of this depth, with `steps` depth steps of each side by side.
constexpr std::size_t packed_column_bytes(std::size_t depth, std::size_t steps, const element_machine& on) {
    return (depth + steps - 1) / steps * on.lanes() * on.bytes;
}

/// Depth steps side by side in the vector of the last columns; 1 for an ordinary partial vector.
constexpr std::size_t choose_packed_steps(const product_shape& p, const element_machine& on) {
    const std::size_t width = on.lanes(), columns = p.j % width;
    if (!on.shuffles() || choose_strip_steps(p, on) != 1) return 1;
    if (p.sk != 1 || columns == 0 || 2 * columns > width) return 1;
    std::size_t depth = width;
    while (depth > 1 && (columns * depth > width || depth > p.k)) depth /= 2;
    // The saving minus the cost of interleaving columns and folding rows, in half cycles.
    const std::size_t steps = (p.k + depth - 1) / depth, saved = p.i * (p.k - steps), spent = 3 * p.k + 6 * p.i;
    return saved > spent && packed_column_bytes(p.k, depth, on) <= most_packed_bytes ? depth : 1;
}

/// The register blocks of a product. The vectors are all vectors, or only the full ones if the last columns are packed.
constexpr register_block choose_blocks(const product_shape& p, const element_machine& on, const cut_options& options) {
    const std::size_t width = on.lanes(),
                      vectors = p.j / width + (p.j % width != 0 && !(options.packs && choose_packed_steps(p, on) != 1));
    machine target = on.target.for_elements_of(on.bytes);
    // Rows in four lanes need registers of their own, and compilers spill large blocks of sums.
    if (p.group != 1 && target.bf16_pairs && on.lanes() == 4 && target.registers >= 32) target.registers -= 6;
    register_block blocks = choose_register_block(p.i, vectors == 0 ? 1 : vectors, p.k, target, options.granule);
    if (vectors == 0) blocks.vectors = split_near_equal(0, 0);
    return blocks;
}

/// Whether a block of one row loads scalars a register at a time and broadcasts them from there. If V is in L1, loads
/// are the bound. Beyond L1 one stream does not hide the additional instructions. In a short depth the sums wait for
/// the shuffles (a step of an LSTM of 16: 5% more time, of 32: 7%).
constexpr bool choose_spreading(const product_shape& p, const register_block& blocks, const element_machine& on,
                                const cut_options& options) {
    const bool one_row = blocks.rows.size(blocks.rows.blocks - 1) == 1;
    return one_row && blocks.vectors.large > 1 && p.sk == 1 && p.k >= 4 * on.lanes() && p.group == 1 &&
           !options.streamed && on.target.registers >= 32 && on.shuffles() && on.lanes() * on.bytes > 16;
}

/// Depth steps between two branches. One, if branches cost nothing besides the arithmetic. On cores that issue one
/// instruction at a time, the counter, two addresses and the branch take an eighth of a step of 4 x 4 sums; more sums
/// need too many registers. In 16 registers, blocks of 6 x 2 sums take two steps: the end of half as many iterations is
/// predicted more often (Zen 4, AVX2: 32 x 32 x 32 takes 3% less time, 64 x 64 x 64 and attention of that size 1.5%).
/// With four steps g++ spills, with three vectors and four rows even with two. For 4 x 2 and 2 x 4 sums g++ takes up to
/// 4% less time, clang none (Zen 3); without fused multiply-adds they spill. If rows end at different steps, the
/// remainders cost what this saves.
constexpr std::size_t choose_steps_together(const product_shape& p, const register_block& blocks,
                                            const element_machine& on, const cut_options& options) {
    constexpr std::size_t together = 4, most_sums = 16;
    const machine& target = on.target;
    const std::size_t rows = blocks.rows.large, vectors = blocks.vectors.large;
    const bool is_of_eight_sums = (rows == 4 && vectors == 2) || (rows == 2 && vectors == 4);
    if (!target.single_issue)
        return target.registers == 16 && target.fills_register(on.bytes, on.floating) && options.whole_depth &&
                       p.group == 1 && p.k % 2 == 0 && p.k >= 16 && blocks.chains == 1 &&
                       ((vectors == 2 && rows >= 5) || (target.fused && is_of_eight_sums))
                   ? 2
                   : 1;
    return !target.small_code && target.registers >= 32 && on.floating && on.bytes == 4 && options.whole_depth &&
                   p.group == 1 && p.k % together == 0 && rows * vectors <= most_sums
               ? together
               : 1;
}

/// Whether sums begin as the products of the first steps, not as zeros. It adds code and hides stores: on AMD cores
/// stores seem to read their register through the port of a multiply-add's third operand. The stores of a block delayed
/// the first steps of the next one by 20 cycles (Zen 3: 6 x 2 sums over 64 steps took 404 cycles; 391 with this; 384
/// without stores).
constexpr bool choose_first_products(const product_shape& p, const element_machine& on, const cut_options& options) {
    const machine& target = on.target;
    return target.fused && target.registers == 16 && !target.single_issue && on.floating &&
           target.fills_register(on.bytes, on.floating) && options.whole_depth && options.from_zero && p.group == 1;
}

/// Independent sums of blocks of one vector over a depth.
constexpr one_vector_chains choose_chains(const axis_split& rows, std::size_t depth, const element_machine& on) {
    const auto of = [&](std::size_t height) {
        return static_cast<std::uint8_t>(height == 0 ? 0 : depth_chains(height, 1, depth, on.target));
    };
    return {of(rows.large), of(rows.large_blocks == rows.blocks ? 0 : rows.large - 1), 0};
}

/// The cut of a product.
constexpr product_cut choose_cut(const product_shape& p, const element_machine& on, const cut_options& options = {}) {
    const register_block blocks = choose_blocks(p, on, options);
    product_cut cut;
    cut.row_blocks = static_cast<std::uint32_t>(blocks.rows.blocks);
    cut.vector_blocks = static_cast<std::uint32_t>(blocks.vectors.blocks);
    cut.chains = static_cast<std::uint8_t>(blocks.chains);
    cut.steps_together = static_cast<std::uint8_t>(choose_steps_together(p, blocks, on, options));
    cut.spreads = choose_spreading(p, blocks, on, options);
    cut.multiplies_first = !cut.spreads && choose_first_products(p, on, options);
    if (options.packs) {
        cut.strip_steps = static_cast<std::uint16_t>(choose_strip_steps(p, on));
        cut.last_steps = static_cast<std::uint16_t>(choose_packed_steps(p, on));
        cut.packs = cut.last_steps != 1 && options.whole_depth;
    }
    if (cut.strip_steps != 1)
        cut.packed_chains = choose_chains(blocks.rows, p.k / cut.strip_steps, on);
    else if (cut.packs)
        cut.packed_chains = choose_chains(blocks.rows, (p.k + cut.last_steps - 1) / cut.last_steps, on);
    if (options.splits && blocks.vectors.large > 1) cut.split_chains = choose_chains(blocks.rows, p.k, on);
    return cut;
}

/// The register blocks of a product with a cut.
constexpr register_block blocks_of(const product_shape& p, std::size_t width) {
    const std::size_t vectors = p.j / width + (p.j % width != 0 && p.cut.last_steps == 1);
    return {split_near_equal(p.i, p.cut.row_blocks), split_near_equal(vectors, p.cut.vector_blocks), p.cut.chains};
}

/// Bytes of scratch that a product with this cut takes.
constexpr std::size_t table_bytes_of(const product_cut& cut, std::size_t depth, const element_machine& on) {
    return cut.packs ? packed_column_bytes(depth, cut.last_steps, on) : 0;
}

/// Rows of the blocks that transpose. Many, because the transposition of all columns is spread over them, and such that
/// the other rows are whole blocks.
constexpr std::size_t choose_transposing_rows(const product_shape& p, const element_machine& on) {
    constexpr std::size_t most = 10;
    if (p.i <= most) return p.i;
    const std::size_t usual = choose_blocks(p, on, {}).rows.large;
    for (std::size_t rows = most; rows > 5; --rows)
        if ((p.i - rows) % usual == 0) return rows;
    return most;
}

/// The product of the rows that do not transpose, or all of it if all rows do.
constexpr product_shape after_transposing_rows(product_shape p) {
    if (p.cut.transposing_rows != p.i) p.i -= p.cut.transposing_rows;
    return p;
}

/// The cut of a product that transposes its right operand: for the rows that do not, and the sums of those that do.
constexpr product_cut choose_transposing_cut(product_shape p, const element_machine& on) {
    const std::size_t rows = choose_transposing_rows(p, on);
    p.cut.transposing_rows = static_cast<std::uint8_t>(rows);
    product_cut cut = choose_cut(after_transposing_rows(p), on);
    cut.transposing_rows = p.cut.transposing_rows;
    const auto chains = [&](std::size_t vectors, std::size_t depth) {
        return static_cast<std::uint8_t>(depth_chains(rows, vectors, depth, on.target));
    };
    cut.transposing_chains = chains(2, p.k);
    cut.split_chains.transposing = chains(1, p.k);
    if (cut.packs) cut.packed_chains.transposing = chains(1, (p.k + cut.last_steps - 1) / cut.last_steps);
    return cut;
}

/// Multiply-adds of one block without loops. This much of the packed rows stays in registers.
inline constexpr std::size_t most_unrolled = 64;

/// The cut of a product of few rows: as many columns side by side as one vector holds at the end, or a multiple of it.
/// If there are no more columns, each packed vector is used once.
constexpr packed_k_cut choose_packed_k(const packed_k_shape& p, const element_machine& on) {
    const std::size_t steps = on.lanes() / packed_k_line(p.rows), most_sums = on.target.registers >= 32 ? 16 : 8,
                      together = steps >= most_sums ? steps : most_sums;
    return {static_cast<std::uint16_t>(steps), static_cast<std::uint16_t>(together),
            p.columns > together && p.depth / steps * together > most_unrolled};
}

/// Bytes of scratch that a product of few rows with this cut takes.
constexpr std::size_t packed_k_table_bytes(const packed_k_shape& p, const element_machine& on) {
    return p.cut.table ? p.depth / p.cut.steps * on.lanes() * on.bytes : 0;
}

}  // namespace ashlar::detail
