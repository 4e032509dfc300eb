// SPDX-License-Identifier: BSL-1.0
// Small square matrices and their right-hand sides in scratch: one in each lane, or one whose rows fill registers.
//
// In both layouts a row is a sequence of blocks, each of one register:
//   1. lane_matrices: block j of a row is column j of as many matrices as there are lanes
//   2. row_matrix:    block v of a row is columns v * W to v * W + W - 1 of a single matrix
// Right-hand sides may have wider blocks than the matrix: the entries of a small one are scalars. An algorithm reads
// one entry of a matrix in all lanes, and changes whole blocks of rows.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd/lanes.hpp>

namespace ashlar::inline v0_1::detail {

/// Calls f(i) for first <= i < last, all below Count. Unrolled, entries of a single matrix stay in registers.
template <bool Unrolled, std::size_t Count, class Function>
ASHLAR_ALWAYS_INLINE constexpr void each_index(std::size_t first, std::size_t last, Function f) {
    if constexpr (Unrolled) {
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < Count; ++i)
            if (i >= first && i < last) f(i);
    } else {
        for (std::size_t i = first; i < last; ++i) f(i);
    }
}

/// Orders of unrolled loops: of a matrix in scalar registers, and of any other.
inline constexpr std::size_t most_unrolled_scalars = 8, most_unrolled_lanes = 4;

/// What both layouts share: Order x Order matrices and their right-hand sides, in rows of blocks.
template <class Lanes, std::size_t Order, std::size_t BlocksOfRow, std::size_t BlocksOfSides, class SideLanes = Lanes>
struct matrix_blocks {
    using vec = Lanes;
    using side_vec = SideLanes;
    using element = typename Lanes::value_type;
    static constexpr std::size_t order = Order, width = Lanes::size;
    static constexpr std::size_t row_blocks = BlocksOfRow, side_blocks = BlocksOfSides;
    static constexpr std::size_t elements = Order * row_blocks * width;

    element* matrix;
    element* sides;

    ASHLAR_ALWAYS_INLINE constexpr element* row(std::size_t i, std::size_t block) const {
        return matrix + (i * row_blocks + block) * width;
    }
    ASHLAR_ALWAYS_INLINE constexpr element* side(std::size_t i, std::size_t block) const {
        return sides + (i * side_blocks + block) * side_vec::size;
    }
    /// A factor of a row, for its right-hand sides.
    ASHLAR_ALWAYS_INLINE static constexpr side_vec for_sides(vec x) {
        if constexpr (vec::size == side_vec::size)
            return x;
        else
            return side_vec(x[0]);
    }
};

/// A matrix in each lane. With `Transposed`, entry (i, j) is where entry (j, i) would be. The right-hand sides of one
/// lane may fill registers.
template <class Lanes, std::size_t Order, std::size_t Sides, bool Transposed = false, class SideLanes = Lanes>
struct lane_matrices
    : matrix_blocks<Lanes, Order, Order, Lanes::size == 1 ? (Sides + SideLanes::size - 1) / SideLanes::size : Sides,
                    SideLanes> {
    using base = matrix_blocks<Lanes, Order, Order,
                               Lanes::size == 1 ? (Sides + SideLanes::size - 1) / SideLanes::size : Sides, SideLanes>;
    using vec = Lanes;
    using typename base::element;
    using row_number = Lanes;  // of each matrix; small integers are exact
    static constexpr bool unrolled = Order <= (Lanes::size == 1 ? most_unrolled_scalars : most_unrolled_lanes);
    static constexpr bool side_block_is_column = SideLanes::size == Lanes::size;

    ASHLAR_ALWAYS_INLINE constexpr element* row(std::size_t i, std::size_t block) const {
        return Transposed ? base::row(block, i) : base::row(i, block);
    }
    /// The block of a column, and the first row that lies below the diagonal in all of a block.
    ASHLAR_ALWAYS_INLINE static constexpr std::size_t block_of(std::size_t column) { return column; }
    ASHLAR_ALWAYS_INLINE static constexpr std::size_t end_above(std::size_t block) { return block + 1; }
    /// A block with zeros up to column k.
    ASHLAR_ALWAYS_INLINE static constexpr vec after_column(std::size_t, std::size_t, vec x) { return x; }
    ASHLAR_ALWAYS_INLINE constexpr vec entry(std::size_t i, std::size_t j) const { return vec::load(row(i, j)); }
    ASHLAR_ALWAYS_INLINE constexpr void set_entry(std::size_t i, std::size_t j, vec x) const { x.store(row(i, j)); }

    /// The row from `k` on with the greatest magnitude in column k. NaN is not greater than anything.
    ASHLAR_ALWAYS_INLINE constexpr row_number find_pivot(std::size_t k) const {
        vec best = abs(entry(k, k)), where(static_cast<element>(k));
        each_index<unrolled, Order>(k + 1, Order, [&](std::size_t i) ASHLAR_LAMBDA_INLINE {
            const vec x = abs(entry(i, k));
            const auto greater = x > best;
            best = select(greater, x, best);
            where = select(greater, vec(static_cast<element>(i)), where);
        });
        return where;
    }
    /// -1 where the rows differ, 1 where they do not.
    ASHLAR_ALWAYS_INLINE static constexpr vec sign_of_swap(std::size_t k, row_number pivot) {
        return select(pivot == vec(static_cast<element>(k)), vec(element(1)), vec(element(-1)));
    }
    /// Swaps row k with the pivot, from block `first` on. Each matrix has its own pivot, so every row is selected from.
    ASHLAR_ALWAYS_INLINE constexpr void swap_rows(std::size_t k, row_number pivot, std::size_t first) const {
        each_index<unrolled, base::row_blocks>(first, base::row_blocks, [&](std::size_t v) ASHLAR_LAMBDA_INLINE {
            swap_block<vec>(
                k, [&](std::size_t i) ASHLAR_LAMBDA_INLINE { return row(i, v); },
                [&](std::size_t i) ASHLAR_LAMBDA_INLINE { return pivot == vec(static_cast<element>(i)); });
        });
        each_index<unrolled, base::side_blocks>(0, base::side_blocks, [&](std::size_t v) ASHLAR_LAMBDA_INLINE {
            swap_block<SideLanes>(
                k, [&](std::size_t i) ASHLAR_LAMBDA_INLINE { return this->side(i, v); },
                [&](std::size_t i)
                    ASHLAR_LAMBDA_INLINE { return this->for_sides(pivot) == SideLanes(static_cast<element>(i)); });
        });
    }

private:
    template <class Vec, class Block, class Chosen>
    ASHLAR_ALWAYS_INLINE constexpr void swap_block(std::size_t k, Block block, Chosen chosen) const {
        const Vec old = Vec::load(block(k));
        Vec top = old;
        each_index<unrolled, Order>(k + 1, Order, [&](std::size_t i) ASHLAR_LAMBDA_INLINE {
            const Vec x = Vec::load(block(i));
            top = select(chosen(i), x, top);
            select(chosen(i), old, x).store(block(i));
        });
        top.store(block(k));
    }
};

/// A single matrix. The lanes after its last column are computed too and never read.
template <class Lanes, std::size_t Order, std::size_t Sides>
struct row_matrix
    : matrix_blocks<Lanes, Order, (Order + Lanes::size - 1) / Lanes::size, (Sides + Lanes::size - 1) / Lanes::size> {
    using base =
        matrix_blocks<Lanes, Order, (Order + Lanes::size - 1) / Lanes::size, (Sides + Lanes::size - 1) / Lanes::size>;
    using vec = Lanes;
    using typename base::element;
    using row_number = std::size_t;
    static constexpr bool unrolled = Order <= most_unrolled_lanes;
    static constexpr bool side_block_is_column = Lanes::size == 1;

    ASHLAR_ALWAYS_INLINE static constexpr std::size_t block_of(std::size_t column) { return column / Lanes::size; }
    ASHLAR_ALWAYS_INLINE static constexpr std::size_t end_above(std::size_t block) {
        return (block + 1) * Lanes::size < Order ? (block + 1) * Lanes::size : Order;
    }
    ASHLAR_ALWAYS_INLINE static constexpr vec after_column(std::size_t k, std::size_t block, vec x) {
        const element before = static_cast<element>(k) - static_cast<element>(block * Lanes::size);
        return select(vec::iota() > vec(before), x, vec(element(0)));
    }
    ASHLAR_ALWAYS_INLINE constexpr vec entry(std::size_t i, std::size_t j) const { return vec(this->row(i, 0)[j]); }
    ASHLAR_ALWAYS_INLINE constexpr void set_entry(std::size_t i, std::size_t j, vec x) const {
        this->row(i, 0)[j] = x[0];
    }

    ASHLAR_ALWAYS_INLINE constexpr row_number find_pivot(std::size_t k) const {
        const auto magnitude = [&](std::size_t i) ASHLAR_LAMBDA_INLINE {
            const element x = this->row(i, 0)[k];
            return x < element(0) ? -x : x;
        };
        element best = magnitude(k);
        row_number where = k;
        for (std::size_t i = k + 1; i < Order; ++i) {
            const element x = magnitude(i);
            where = x > best ? i : where;
            best = x > best ? x : best;
        }
        return where;
    }
    ASHLAR_ALWAYS_INLINE static constexpr vec sign_of_swap(std::size_t k, row_number pivot) {
        return vec(element(pivot == k ? 1 : -1));
    }
    ASHLAR_ALWAYS_INLINE constexpr void swap_rows(std::size_t k, row_number pivot, std::size_t first) const {
        for (std::size_t v = first; v < base::row_blocks; ++v) swap_blocks(this->row(k, v), this->row(pivot, v));
        for (std::size_t v = 0; v < base::side_blocks; ++v) swap_blocks(this->side(k, v), this->side(pivot, v));
    }

private:
    ASHLAR_ALWAYS_INLINE static constexpr void swap_blocks(element* a, element* b) {
        const vec x = vec::load(a), y = vec::load(b);
        y.store(a);
        x.store(b);
    }
};

}  // namespace ashlar::detail
