// SPDX-License-Identifier: BSL-1.0
// A product of few rows with many columns, both contiguous along the depth, rows in lanes: C(i, j) = sum over k of
// S(i, k) * R(j, k) for at most W/2 rows j, or for W with few columns and depth steps.
//
// Lane q*p + d of a packed vector is R(q, k + d); against it stand S(i, k) to S(i, k + p), one load repeated W/p times.
// So a column takes K/p multiply-adds instead of K, and log2 p levels of shuffled additions fold p columns into one
// vector, which has no idle lanes.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/machine.hpp>
#include <ashlar/kernel/product/product_block.hpp>
#include <ashlar/kernel/product/product_cut.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

namespace ashlar::detail {

template <class Element, class Config, packed_k_shape Product>
struct packed_k_product {
    static constexpr std::size_t width = lane_width<Element, Config>;
    static constexpr std::size_t line = packed_k_line(Product.rows);
    static constexpr std::size_t packs = width / line;
    static constexpr std::size_t steps = Product.depth / packs;
    static_assert(fits_packed_k(Product.rows, Product.columns, Product.depth, width));
    using vec = lanes<Element, width, Config>;

    /// Columns that are computed side by side.
    static constexpr std::size_t together = packed_k_together(packs, machine_of<Config>);
    static constexpr bool in_registers = steps * together <= most_unrolled;

    vec packed[in_registers ? steps : 1];
    Element* table;

    /// The rows from `r` on.
    ASHLAR_STAGE_INLINE packed_k_product(const Element* r, Element* scratch) : table(scratch) {
        constexpr std::size_t rest = Product.depth % width;
        ASHLAR_UNROLL
        for (std::size_t k = 0; k + width <= Product.depth; k += width) keep<width>(r, k);
        if constexpr (rest != 0) keep<rest>(r, Product.depth - rest);
    }
    template <std::size_t Depth>
    ASHLAR_STAGE_INLINE void keep(const Element* r, std::size_t k) {
        if constexpr (in_registers) {
            pack<Depth>(r + k, packed + k / packs);
        } else {
            vec piece[Depth / packs];
            pack<Depth>(r + k, piece);
            ASHLAR_UNROLL
            for (std::size_t t = 0; t < Depth / packs; ++t) piece[t].store(table + (k / packs + t) * width);
        }
    }
    ASHLAR_STAGE_INLINE vec kept(std::size_t t) const {
        if constexpr (in_registers)
            return packed[t];
        else
            return vec::load(table + t * width);
    }

    /// Whether so short pieces of rows are loaded several to a vector, which leaves fewer levels to exchange.
    template <std::size_t Depth>
    static constexpr bool joins_rows = [] {
        if constexpr (2 * Depth > width || width % Depth != 0 || !shuffles<Element, width, Config>())
            return false;
        else if constexpr (Product.row_distance == Depth)
            return true;
        else
            return Product.rows % (width / Depth) == 0 &&
                   requires(const Element* p) { vec::ops::template load_groups<Depth>(p, 1); };
    }();
    template <std::size_t Depth, std::size_t First>
    ASHLAR_STAGE_INLINE static vec load_joined(const Element* r) {
        constexpr std::size_t left = First < Product.rows ? (Product.rows - First) * Depth : 0;
        if constexpr (left == 0)
            return vec(Element(0));
        else if constexpr (Product.row_distance == Depth)
            return vec::template load_partial < left<width ? left : width>(r + First * Depth);
        else
            return vec(vec::ops::template load_groups<Depth>(r + First * Product.row_distance,
                                                             static_cast<std::ptrdiff_t>(Product.row_distance)));
    }

    template <std::size_t Depth>
    ASHLAR_STAGE_INLINE static void pack(const Element* r, vec* to) {
        if constexpr (joins_rows<Depth>) {
            [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_STAGE_LAMBDA {
                ((to[Index] = load_joined<Depth, Index*(width / Depth)>(r)), ...);
            }(std::make_index_sequence<Depth / packs>{});
            transpose_groups<packs, Depth / packs>(to);
        } else {
            vec tile[line];
            ASHLAR_UNROLL
            for (std::size_t j = 0; j < line; ++j)
                tile[j] = j < Product.rows ? vec::template load_partial<Depth>(r + j * Product.row_distance)
                                           : vec(Element(0));
            transpose_groups<packs, line>(tile);
            ASHLAR_UNROLL
            for (std::size_t t = 0; t < Depth / packs; ++t) to[t] = tile[t];
        }
    }

    /// The same multiplied by all columns, of which there are few: piece after piece, none of which leaves the
    /// registers.
    ASHLAR_STAGE_INLINE static void multiply(const Element* s, const Element* r, vec (&sums)[Product.columns]) {
        constexpr std::size_t rest = Product.depth % width, whole = Product.depth - rest;
        if constexpr (whole <= 2 * width) {
            ASHLAR_UNROLL
            for (std::size_t k = 0; k < whole; k += width) multiply_piece<width>(s + k, r + k, sums);
        } else {
            for (std::size_t k = 0; k < whole; k += width) multiply_piece<width>(s + k, r + k, sums);
        }
        if constexpr (rest != 0) multiply_piece<rest>(s + (Product.depth - rest), r + (Product.depth - rest), sums);
    }
    template <std::size_t Depth>
    ASHLAR_STAGE_INLINE static void multiply_piece(const Element* s, const Element* r, vec (&sums)[Product.columns]) {
        vec piece[Depth / packs];
        pack<Depth>(r, piece);
        ASHLAR_UNROLL
        for (std::size_t t = 0; t < Depth / packs; ++t) step(s + t * packs, piece[t], sums);
    }

    /// Where column `i` of a folded vector has row `lane % line`.
    template <std::size_t First>
    struct in_order {
        static constexpr std::size_t from(std::size_t lane) {
            return folded_lane<Element, width, packs>((First + lane / line) % packs, lane % line);
        }
    };

    template <std::size_t Count>
    ASHLAR_STAGE_INLINE static void clear(vec (&sums)[Count]) {
        ASHLAR_UNROLL
        for (std::size_t c = 0; c < Count; ++c) sums[c] = vec(Element(0));
    }
    template <std::size_t Count>
    ASHLAR_STAGE_INLINE static void step(const Element* s, vec r, vec (&sums)[Count]) {
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < Count; ++i)
            sums[i] = fma(load_repeated<vec, packs>(s + i * Product.column_distance), r, sums[i]);
    }

    /// The columns [i, i + Count).
    template <std::size_t Count, class Epilogue>
    ASHLAR_STAGE_INLINE void block(const Element* s, Epilogue& epilogue, std::size_t i) const {
        const block_verdict verdict = verdict_on(epilogue, i, i + Count, 0, Product.rows);
        if (verdict == block_verdict::skip) return;
        vec sums[Count];
        clear(sums);
        s += i * Product.column_distance;
        if constexpr (steps * Count <= most_unrolled) {
            ASHLAR_UNROLL
            for (std::size_t t = 0; t < steps; ++t) step(s + t * packs, kept(t), sums);
        } else {
            for (std::size_t t = 0; t < steps; ++t) step(s + t * packs, opaque(kept(t)), sums);
        }
        finish_block(sums, epilogue, i, verdict);
    }

    template <std::size_t Count, class Epilogue>
    ASHLAR_STAGE_INLINE static void finish_block(vec (&sums)[Count], Epilogue& epilogue, std::size_t i,
                                                 block_verdict verdict) {
        fold_lanes<1, packs, Count>(sums);
        with_verdict<Epilogue>(verdict, [&](auto tag) ASHLAR_STAGE_LAMBDA {
            [&]<std::size_t... VectorIndex>(std::index_sequence<VectorIndex...>) ASHLAR_STAGE_LAMBDA {
                (finish<(VectorIndex + 1) * packs <= Count ? packs : Count - VectorIndex * packs>(
                     sums[VectorIndex], epilogue, i + VectorIndex * packs, tag),
                 ...);
            }(std::make_index_sequence<(Count + packs - 1) / packs>{});
        });
        detail::finish_block(epilogue, i, Count, 0, 1);
    }

    /// A folded vector, which holds the columns [i, i + Count).
    template <std::size_t Count, class Epilogue, class Verdict>
    ASHLAR_STAGE_INLINE static void finish(vec sums, Epilogue& epilogue, std::size_t i, Verdict verdict) {
        if constexpr (has_hook<Epilogue, hook::group>) {
            epilogue.group(i, shuffle_as<in_order<0>>(sums, sums), lane_count<Count>{}, verdict);
        } else {
            [&]<std::size_t... ColumnIndex>(std::index_sequence<ColumnIndex...>) ASHLAR_STAGE_LAMBDA {
                (finish_column(epilogue, i + ColumnIndex, 0, {shuffle_as<in_order<ColumnIndex>>(sums, sums)},
                               lane_count<Product.rows>{}, verdict),
                 ...);
            }(std::make_index_sequence<Count>{});
        }
    }
};

/// The hooks that it calls: the columns of this product are i, its rows are in lanes.
inline constexpr hook served_by_packed_k =
    hook::vector | hook::column | hook::group | hook::begin_block | hook::end_block;

/// Bytes of scratch that it needs.
template <class Element, class Config, packed_k_shape Product>
inline constexpr std::size_t packed_k_scratch_bytes =
    packed_k_table_bytes(Product, element_machine_of<Element, Config>);

/// Computes all columns; `scratch` has packed_k_scratch_bytes bytes.
template <class Element, class Config, packed_k_shape Product, class Epilogue>
ASHLAR_STAGE_INLINE void product_packed_k(const Element* s, const Element* r, Epilogue& epilogue, Element* scratch) {
    using kernel = packed_k_product<Element, Config, Product>;
    if constexpr (fits_kernel<Epilogue, typename kernel::vec, served_by_packed_k, Config::checks>()) {
        constexpr std::size_t rest = Product.columns % kernel::together;
        if constexpr (Product.columns <= kernel::together) {
            const block_verdict verdict = verdict_on(epilogue, 0, Product.columns, 0, Product.rows);
            if (verdict == block_verdict::skip) return;
            typename kernel::vec sums[Product.columns];
            kernel::clear(sums);
            kernel::multiply(s, r, sums);
            kernel::finish_block(sums, epilogue, 0, verdict);
            return;
        }
        const kernel rows(r, scratch);
        for (std::size_t i = 0; i + kernel::together <= Product.columns; i += kernel::together)
            rows.template block<kernel::together>(s, epilogue, i);
        if constexpr (rest != 0) rows.template block<rest>(s, epilogue, Product.columns - rest);
    }
}

}  // namespace ashlar::detail
