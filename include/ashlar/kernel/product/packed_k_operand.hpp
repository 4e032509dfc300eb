// SPDX-License-Identifier: BSL-1.0
// Right operands of packed depth: one register holds several depth steps of each column, or of each of few rows.
//
// Lane q*p + d is V(k + d, j + q), for p steps side by side. Dense rows of at most half a register are lane d*W/p + q
// already and need no packing.
#pragma once

#include <bit>
#include <cstddef>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

namespace ashlar::inline v0_1::detail {

/// Packed registers, one after the other in memory.
template <class Lanes, class Element>
struct packs_in_memory {
    const Element* at;
    ASHLAR_STAGE_INLINE Lanes load(std::size_t) const { return opaque(Lanes::load(at)); }
    ASHLAR_STAGE_INLINE void advance() { at += Lanes::size; }
};

/// Packed registers that stay in registers, because the code that reads them has no loops.
template <class Lanes>
struct packs_in_registers {
    const Lanes* at;
    ASHLAR_STAGE_INLINE Lanes load(std::size_t) const { return *at; }
    ASHLAR_STAGE_INLINE void advance() { ++at; }
};

/// Halves of registers of columns, two depth steps in each, packed while they are loaded from rows `Distance` apart.
template <class Lanes, class Element, std::size_t Distance>
struct packed_halves {
    static constexpr std::size_t half = Lanes::size / 2;
    static constexpr bool loads_both = loads_halves<Element, Lanes::size, typename Lanes::config_type>;
    struct in_turn {
        static constexpr std::size_t from(std::size_t lane) {
            return lane % 2 * (loads_both ? half : Lanes::size) + lane / 2;
        }
    };
    const Element* at;

    ASHLAR_STAGE_INLINE Lanes load(std::size_t h) const {
        const Element* v = at + h * half;
        if constexpr (loads_both) {
            // clang would widen each half of either load and then join all four.
            const Lanes both =
                opaque(Lanes(Lanes::ops::template load_groups<half>(v, static_cast<std::ptrdiff_t>(Distance))));
            return opaque(shuffle_as<in_turn>(both, both));
        } else {
            return opaque(shuffle_as<in_turn>(Lanes::template load_partial<half>(v),
                                              Lanes::template load_partial<half>(v + Distance)));
        }
    }
    ASHLAR_STAGE_INLINE void advance() { at += 2 * Distance; }
};

/// The last columns of V, packed into scratch.
template <class Element, class Config, product_shape Product>
struct packed_columns {
    static constexpr std::size_t width = lane_width<Element, Config>;
    static constexpr std::size_t columns = Product.j % width;
    static constexpr std::size_t depth = Product.cut.last_steps;
    static constexpr std::size_t steps = (Product.k + depth - 1) / depth;
    /// The last step covers the last `depth` steps, of which some were packed before.
    static constexpr std::size_t repeats = steps * depth - Product.k;

    using vec = lanes<Element, width, Config>;

    const Element* values;

    /// Interleaves the lanes of a and b, as far as they fit.
    struct in_turn {
        static constexpr std::size_t from(std::size_t lane) { return lane % 2 * width + lane / 2; }
    };
    /// Lane q*depth + d from rows of `group` elements, whose last ones are the columns.
    static constexpr std::size_t group = std::bit_ceil(columns);
    struct in_columns {
        static constexpr std::size_t from(std::size_t lane) {
            const std::size_t q = lane / depth, d = lane % depth;
            return q < columns ? d * group + group - columns + q : lane;
        }
    };
    /// Zero instead of the steps that were packed before.
    struct not_repeated {
        static constexpr std::size_t from(std::size_t lane) { return lane % depth < repeats ? width + lane : lane; }
    };
    struct without_repeats {
        ASHLAR_STAGE_INLINE vec operator()(vec x) const { return shuffle_as<not_repeated>(x, vec(Element(0))); }
    };

    ASHLAR_STAGE_INLINE packed_columns(const Element* v, Element* scratch) : values(scratch) {
        v += Product.j - columns;
        for (std::size_t t = 0; t < Product.k / depth; ++t)
            packed_step(v + t * depth * Product.vk).store(scratch + t * width);
        if constexpr (repeats != 0)
            without_repeats{}(packed_step(v + (Product.k - depth) * Product.vk)).store(scratch + (steps - 1) * width);
    }
    ASHLAR_STAGE_INLINE static vec packed_step(const Element* v) {
        if constexpr (Product.j >= group &&
                      requires { vec::ops::template gather_groups<group, group * depth>(v, 1); }) {
            const vec rows(vec::ops::template gather_groups<group, group * depth>(
                v - (group - columns), static_cast<std::ptrdiff_t>(Product.vk)));
            return group == 1 ? rows : shuffle_as<in_columns>(rows, rows);
        } else {
            vec rows[depth];
            ASHLAR_UNROLL
            for (std::size_t d = 0; d < depth; ++d)
                rows[d] = Product.padded ? vec::load(v + d * Product.vk)
                                         : vec::template load_partial<columns>(v + d * Product.vk);
            ASHLAR_UNROLL
            for (std::size_t half = depth / 2; half != 0; half /= 2) {
                ASHLAR_UNROLL
                for (std::size_t d = 0; d < half; ++d) rows[d] = shuffle_as<in_turn>(rows[d], rows[d + half]);
            }
            return rows[0];
        }
    }
};

/// Replaces them if nothing is packed.
struct no_packed_columns {
    template <class Element>
    ASHLAR_STAGE_INLINE no_packed_columns(const auto*, Element*) {}
};

/// Few rows, dense along the depth, packed into registers or scratch.
template <class Element, class Config, packed_k_shape Product>
struct packed_rows {
    static constexpr std::size_t width = lane_width<Element, Config>;
    static constexpr std::size_t line = packed_k_line(Product.rows);
    static constexpr std::size_t packs = Product.cut.steps;
    static constexpr std::size_t steps = Product.depth / packs;
    static_assert(fits_packed_k(Product.rows, Product.columns, Product.depth, width));
    using vec = lanes<Element, width, Config>;

    static constexpr bool in_registers = !Product.cut.table;
    vec packed[in_registers ? steps : 1];
    Element* table;

    /// The rows from `r`.
    ASHLAR_STAGE_INLINE packed_rows(const Element* r, Element* scratch) : table(scratch) {
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
    ASHLAR_STAGE_INLINE auto first_pack() const {
        if constexpr (in_registers)
            return packs_in_registers<vec>{packed};
        else
            return packs_in_memory<vec, Element>{table};
    }

    /// Whether pieces of rows are so short that a vector loads several, which leaves fewer exchanges.
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
};

}  // namespace ashlar::detail
