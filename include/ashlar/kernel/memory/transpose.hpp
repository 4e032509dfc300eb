// SPDX-License-Identifier: BSL-1.0
// Transposes a static block between row-major memory and scratch whose rows are lanes.
//
// Dispatch, decided by the types, for W lanes:
//   0. a block of a few vectors, without gaps on one side: each result is picked from them directly
//   1. W x W tiles in registers, run-time loops over them
//   2. the last rows: fewer rows are loaded, the other lanes are zero; stored in full if Transpose.pad, else partially
//   3. the last columns: loaded partially, only these columns are stored
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

namespace ashlar::inline v0_1::detail {

/// A rows x cols source with rows `from` elements apart. Its transpose is cols x rows with rows `to` apart.
struct transpose_shape {
    std::size_t rows, cols;
    std::size_t from, to;
    bool pad = false;  ///< fill each destination row with f(0) to the next full vector (`to` must have the room)
};

/// The identity, for `transpose_tile`.
struct unchanged {
    template <class Lanes>
    ASHLAR_ALWAYS_INLINE Lanes operator()(Lanes x) const {
        return x;
    }
};

/// One tile of at most W x W elements.
template <class Element, class Config, transpose_shape Transpose, std::size_t Rows, std::size_t Cols, class Function>
ASHLAR_STAGE_INLINE void transpose_registers(const Element* src, Element* dst, Function f) {
    constexpr std::size_t width = lane_width<Element, Config>;
    using vec = lanes<Element, width, Config>;
    vec tile[width];
    if constexpr (Rows == width && Cols == width && loads_halves<Element, width, Config>) {
        load_transposed(src, Transpose.from, tile, f);
    } else {
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Rows; ++r) tile[r] = f(vec::template load_partial<Cols>(src + r * Transpose.from));
        ASHLAR_UNROLL
        for (std::size_t r = Rows; r < width; ++r) tile[r] = f(vec(Element(0)));
        transpose_in_place(tile);
    }
    ASHLAR_UNROLL
    for (std::size_t c = 0; c < Cols; ++c)
        tile[c].template store_partial<Transpose.pad ? width : Rows>(dst + c * Transpose.to);
}

/// The tiles of at most W rows.
template <class Element, class Config, transpose_shape Transpose, std::size_t Rows, class Function>
ASHLAR_STAGE_INLINE void transpose_rows(const Element* src, Element* dst, Function f) {
    constexpr std::size_t width = lane_width<Element, Config>;
    constexpr std::size_t rest = Transpose.cols % width;
    for (std::size_t c = 0; c + width <= Transpose.cols; c += width)
        transpose_registers<Element, Config, Transpose, Rows, width>(src + c, dst + c * Transpose.to, f);
    if constexpr (rest != 0)
        transpose_registers<Element, Config, Transpose, Rows, rest>(src + (Transpose.cols - rest),
                                                                    dst + (Transpose.cols - rest) * Transpose.to, f);
}

/// A dense block that is read whole: its vectors, in source order.
template <class Element, class Config, transpose_shape Transpose>
struct dense_block {
    static constexpr std::size_t width = lane_width<Element, Config>;
    static constexpr std::size_t elements = Transpose.rows * Transpose.cols, vectors = (elements + width - 1) / width;
    static constexpr std::size_t last = elements - (vectors - 1) * width;

    /// A result takes one shuffle for each vector but the first.
    static constexpr bool pays = shuffles<Element, width, Config>() && Transpose.from == Transpose.cols &&
                                 Transpose.rows > 1 &&
                                 Transpose.rows <= width&& Transpose.cols <= width&& vectors > 1 && vectors <= 4;

    /// The lanes of column `Column` that are in vector `Vector`; the other lanes stay.
    template <std::size_t Column, std::size_t Vector>
    struct column {
        static constexpr std::size_t from(std::size_t lane) {
            const std::size_t at = lane * Transpose.cols + Column;
            if (lane < Transpose.rows && at / width == Vector) return width + at % width;
            return Vector == 1 && lane < Transpose.rows && at / width == 0 ? at : lane;
        }
    };
};

template <class Element, class Config, transpose_shape Transpose, class Function>
ASHLAR_STAGE_INLINE void transpose_dense(const Element* src, Element* dst, Function f) {
    using block = dense_block<Element, Config, Transpose>;
    constexpr std::size_t width = block::width;
    using vec = lanes<Element, width, Config>;
    vec all[block::vectors];
    ASHLAR_UNROLL
    for (std::size_t n = 0; n < block::vectors; ++n)
        all[n] = n + 1 == block::vectors ? vec::template load_partial<block::last>(src + n * width)
                                         : vec::load(src + n * width);
    [&]<std::size_t... ColumnIndex>(std::index_sequence<ColumnIndex...>) ASHLAR_STAGE_LAMBDA {
        const auto write =
            [&]<std::size_t Column, std::size_t... Other>(std::index_sequence<Other...>) ASHLAR_STAGE_LAMBDA {
                vec x = all[0];
                ((x = shuffle_as<typename block::template column<Column, Other + 1>>(x, all[Other + 1])), ...);
                if constexpr (Transpose.pad && Transpose.rows != width)
                    x = select(vec::mask_type::first(Transpose.rows), x, vec(Element(0)));
                f(x).template store_partial<Transpose.pad ? width : Transpose.rows>(dst + Column * Transpose.to);
            };
        (write.template operator()<ColumnIndex>(std::make_index_sequence<block::vectors - 1>{}), ...);
    }(std::make_index_sequence<Transpose.cols>{});
}

/// A few rows that fit a vector, whose transpose is dense: its vectors, in the order of the destination.
template <class Element, class Config, transpose_shape Transpose>
struct dense_result {
    static constexpr std::size_t width = lane_width<Element, Config>;
    static constexpr std::size_t elements = Transpose.rows * Transpose.cols, vectors = (elements + width - 1) / width;
    static constexpr std::size_t last = elements - (vectors - 1) * width;
    static constexpr bool pays = shuffles<Element, width, Config>() && Transpose.to == Transpose.rows &&
                                 !Transpose.pad && Transpose.rows > 1 && Transpose.rows <= 4 && Transpose.cols > 1 &&
                                 Transpose.cols <= width;

    template <std::size_t Vector, std::size_t Row>
    struct elements_of {
        static constexpr std::size_t from(std::size_t lane) {
            const std::size_t at = Vector * width + lane;
            if (at < elements && at % Transpose.rows == Row) return width + at / Transpose.rows;
            return Row == 1 && at < elements && at % Transpose.rows == 0 ? at / Transpose.rows : lane;
        }
    };
};

template <class Element, class Config, transpose_shape Transpose, class Function>
ASHLAR_STAGE_INLINE void transpose_to_dense(const Element* src, Element* dst, Function f) {
    using block = dense_result<Element, Config, Transpose>;
    constexpr std::size_t width = block::width;
    using vec = lanes<Element, width, Config>;
    vec rows[Transpose.rows];
    ASHLAR_UNROLL
    for (std::size_t r = 0; r < Transpose.rows; ++r)
        rows[r] = vec::template load_partial<Transpose.cols>(src + r * Transpose.from);
    [&]<std::size_t... VectorIndex>(std::index_sequence<VectorIndex...>) ASHLAR_STAGE_LAMBDA {
        const auto write = [&]<std::size_t Vector, std::size_t... RowIndex>(
                               std::index_sequence<RowIndex...>) ASHLAR_STAGE_LAMBDA {
            vec x = rows[0];
            ((x = shuffle_as<typename block::template elements_of<Vector, RowIndex + 1>>(x, rows[RowIndex + 1])), ...);
            f(x).template store_partial<Vector + 1 == block::vectors ? block::last : width>(dst + Vector * width);
        };
        (write.template operator()<VectorIndex>(std::make_index_sequence<Transpose.rows - 1>{}), ...);
    }(std::make_index_sequence<block::vectors>{});
}

/// Writes dst[c*to + r] = f(src[r*from + c]); f maps lanes to lanes, a scale for example. Rows of the source may
/// overlap, as windows do. Reads nothing outside the source block and writes nothing outside the destination rows
/// (padded if Transpose.pad); the two must not overlap. The same call with rows and columns exchanged transposes back.
template <class Element, class Config, transpose_shape Transpose, class Function = unchanged>
ASHLAR_STAGE_INLINE void transpose_tile(const Element* src, Element* dst, Function f = {}) {
    constexpr std::size_t width = lane_width<Element, Config>;
    constexpr std::size_t rest = Transpose.rows % width;
    static_assert(Transpose.from != 0 || Transpose.rows <= 1, "ashlar: transpose_tile: source rows are one");
    static_assert(Transpose.to >= (Transpose.pad ? (Transpose.rows + width - 1) / width * width : Transpose.rows) ||
                      Transpose.cols <= 1,
                  "ashlar: transpose_tile: destination rows overlap");
    if constexpr (dense_block<Element, Config, Transpose>::pays)
        return transpose_dense<Element, Config, Transpose>(src, dst, f);
    if constexpr (dense_result<Element, Config, Transpose>::pays)
        return transpose_to_dense<Element, Config, Transpose>(src, dst, f);
    for (std::size_t r = 0; r + width <= Transpose.rows; r += width)
        transpose_rows<Element, Config, Transpose, width>(src + r * Transpose.from, dst + r, f);
    if constexpr (rest != 0)
        transpose_rows<Element, Config, Transpose, rest>(src + (Transpose.rows - rest) * Transpose.from,
                                                         dst + (Transpose.rows - rest), f);
}

}  // namespace ashlar::detail
