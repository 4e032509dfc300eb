// SPDX-License-Identifier: BSL-1.0
// Few rows in lanes that stay in registers from one product to the next: the columns of one product are the weights of
// the other.
//
// A vector holds `packs` columns of `line` rows, folded: lane folded_lane(c, row) is column c. To multiply by a column,
// the kernel repeats it so that lane row*packs + d has the row's weight for every d. The right operand's row gives
// columns [j, j + packs), one load repeated for all rows. So no lane is idle, however few columns the right operand
// has.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

namespace ashlar::inline v0_1::detail {

/// Hides the origin of an address, so that reads are loads. From a vector that it has just stored, g++ extracts scalars
/// by more shuffles than a load that repeats one.
template <class Element>
ASHLAR_STAGE_INLINE const Element* from_memory(const Element* p) {
#if defined(__GNUC__)
    __asm__ volatile("" : "+r"(p) : : "memory");
#endif
    return p;
}

template <class Element, class Config, std::size_t Rows>
struct folded_rows {
    static constexpr std::size_t width = lane_width<Element, Config>;
    static constexpr std::size_t line = 2 * Rows <= width ? packed_k_line(Rows) : width, packs = width / line;
    static_assert(Rows <= width);
    using vec = lanes<Element, width, Config>;

    /// Vectors for this number of columns.
    static constexpr std::size_t vectors(std::size_t columns) { return (columns + packs - 1) / packs; }

    static constexpr std::size_t lane_of(std::size_t column, std::size_t row) {
        if constexpr (packs == 1)
            return row;
        else
            return folded_lane<Element, width, packs>(column, row);
    }
    static constexpr std::size_t column_of(std::size_t lane) {
        for (std::size_t c = 0; c < packs; ++c)
            for (std::size_t r = 0; r < line; ++r)
                if (lane_of(c, r) == lane) return c;
        return packs;
    }
    static constexpr std::size_t row_of(std::size_t lane) {
        for (std::size_t r = 0; r < line; ++r)
            if (lane_of(column_of(lane), r) == lane) return r;
        return line;
    }

    template <std::size_t Column>
    struct spreading {
        static constexpr std::size_t from(std::size_t lane) { return lane_of(Column, lane / packs); }
    };
    struct ordering {
        static constexpr std::size_t from(std::size_t lane) { return lane_of(lane / line, lane % line); }
    };
    /// Exchanges columns c and c ^ Bit.
    template <std::size_t Bit>
    struct exchanging {
        static constexpr std::size_t from(std::size_t lane) { return lane_of(column_of(lane) ^ Bit, row_of(lane)); }
    };
    /// Lanes without an element repeat column 0 of row 0.
    template <std::size_t Count>
    struct repeating {
        static constexpr std::size_t from(std::size_t lane) {
            return column_of(lane) < Count && row_of(lane) < Rows ? lane : lane_of(0, 0);
        }
    };
    /// The columns below Count of one vector and the others of a second one.
    template <std::size_t Count>
    struct choosing {
        static constexpr std::size_t from(std::size_t lane) { return column_of(lane) < Count ? lane : width + lane; }
    };

    /// Column `Column` of a folded vector, repeated for each row.
    template <std::size_t Column>
    ASHLAR_STAGE_INLINE static vec spread(vec x) {
        if constexpr (packs == 1)
            return x;
        else
            return shuffle_as<spreading<Column>>(x, x);
    }
    /// Column c of each row in lane c*line + row.
    ASHLAR_STAGE_INLINE static vec in_order(vec x) {
        if constexpr (packs == 1)
            return x;
        else
            return shuffle_as<ordering>(x, x);
    }
    /// x with another value in the columns from Count.
    template <std::size_t Count>
    ASHLAR_STAGE_INLINE static vec first_columns(vec x, Element other) {
        if constexpr (Count == packs)
            return x;
        else
            return shuffle_as<choosing<Count>>(x, vec(other));
    }
    /// x with an element of the first Count columns in every lane.
    template <std::size_t Count>
    ASHLAR_STAGE_INLINE static vec elements_alone(vec x) {
        if constexpr (Count == packs && Rows == line)
            return x;
        else
            return shuffle_as<repeating<Count>>(x, x);
    }
    /// Reduces all columns of each row by f; every column gets the result.
    template <std::size_t Bit = 1, class Function>
    ASHLAR_STAGE_INLINE static vec combine_columns(vec x, Function f) {
        if constexpr (Bit < packs)
            return combine_columns<2 * Bit>(f(x, shuffle_as<exchanging<Bit>>(x, x)), f);
        else
            return x;
    }

    /// sums[j], lane row*packs + d: the row's weights times column j*packs + d of the right operand, whose rows are
    /// `Distance` apart.
    template <std::size_t Depth, std::size_t Columns, std::size_t Distance>
    ASHLAR_STAGE_INLINE static void add_weighted(const vec* weights, const Element* v, vec (&sums)[Columns / packs]) {
        [&]<std::size_t... DepthIndex>(std::index_sequence<DepthIndex...>) ASHLAR_STAGE_LAMBDA {
            (add_weighted_step < DepthIndex ==
                 0 > (spread<DepthIndex % packs>(weights[DepthIndex / packs]), v + DepthIndex * Distance, sums),
             ...);
        }(std::make_index_sequence<Depth>{});
    }
    /// The same for right operands of whole registers, with folded weights in memory: sums[row][j], columns in lanes.
    template <std::size_t Depth, std::size_t Columns, std::size_t Distance>
    ASHLAR_STAGE_INLINE static void add_weighted_vectors(const Element* weights, const Element* v,
                                                         vec (&sums)[Rows][Columns / width]) {
        [&]<std::size_t... DepthIndex>(std::index_sequence<DepthIndex...>) ASHLAR_STAGE_LAMBDA {
            (vectors_step < DepthIndex % packs,
             DepthIndex == 0 > (weights + DepthIndex / packs * width, v + DepthIndex * Distance, sums,
                                std::make_index_sequence<Rows>{}),
             ...);
        }(std::make_index_sequence<Depth>{});
    }
    template <std::size_t Column, bool First, std::size_t Count, std::size_t... RowIndex>
    ASHLAR_STAGE_INLINE static void vectors_step(const Element* weights, const Element* v, vec (&sums)[Rows][Count],
                                                 std::index_sequence<RowIndex...>) {
        vec b[Count];
        ASHLAR_UNROLL
        for (std::size_t j = 0; j < Count; ++j) b[j] = opaque(vec::load(v + j * width));
        (row_step<First>(vec(weights[lane_of(Column, RowIndex)]), b, sums[RowIndex]), ...);
    }
    template <bool First, std::size_t Count>
    ASHLAR_STAGE_INLINE static void row_step(vec weight, const vec (&b)[Count], vec (&sums)[Count]) {
        ASHLAR_UNROLL
        for (std::size_t j = 0; j < Count; ++j) sums[j] = First ? weight * b[j] : fma(weight, b[j], sums[j]);
    }
    template <bool First, std::size_t Count>
    ASHLAR_STAGE_INLINE static void add_weighted_step(vec weight, const Element* v, vec (&sums)[Count]) {
        ASHLAR_UNROLL
        for (std::size_t j = 0; j < Count; ++j) {
            const vec b = load_repeated<vec, packs>(v + j * packs);
            sums[j] = First ? weight * b : fma(weight, b, sums[j]);
        }
    }
};

}  // namespace ashlar::detail
