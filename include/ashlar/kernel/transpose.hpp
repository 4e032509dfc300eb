// SPDX-License-Identifier: BSL-1.0
// Transposes a static block between row-major memory and scratch whose rows are lanes.
//
// Dispatch, decided by the types, for W lanes:
//   0. a block of a few vectors, without gaps on one side: each result is picked from them directly
//   1. W x W tiles in registers, run-time loops over them
//   2. the last rows: fewer rows are loaded, the other lanes are zero; stored in full if P.pad, else partially
//   3. the last columns: loaded partially, only these columns are stored
#pragma once

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd_transpose.hpp>

#include <cstddef>
#include <utility>

namespace ashlar::detail {

/// A rows x cols source with rows `from` elements apart, whose transpose is cols x rows with rows `to` apart.
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
template <class T, class Config, transpose_shape P, std::size_t Rows, std::size_t Cols, class Function>
ASHLAR_ALWAYS_INLINE void transpose_registers(const T* src, T* dst, Function f) {
    constexpr std::size_t width = lane_width<T, Config>;
    using vec = lanes<T, width, Config>;
    vec tile[width];
    if constexpr (Rows == width && Cols == width && loads_halves<T, width, Config>) {
        load_transposed(src, P.from, tile, f);
    } else {
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Rows; ++r)
            tile[r] = f(vec::template load_partial<Cols>(src + r * P.from));
        ASHLAR_UNROLL
        for (std::size_t r = Rows; r < width; ++r)
            tile[r] = f(vec(T(0)));
        transpose_in_place(tile);
    }
    ASHLAR_UNROLL
    for (std::size_t c = 0; c < Cols; ++c)
        tile[c].template store_partial<P.pad ? width : Rows>(dst + c * P.to);
}

/// The tiles of at most W rows.
template <class T, class Config, transpose_shape P, std::size_t Rows, class Function>
ASHLAR_ALWAYS_INLINE void transpose_rows(const T* src, T* dst, Function f) {
    constexpr std::size_t width = lane_width<T, Config>;
    constexpr std::size_t rest = P.cols % width;
    for (std::size_t c = 0; c + width <= P.cols; c += width)
        transpose_registers<T, Config, P, Rows, width>(src + c, dst + c * P.to, f);
    if constexpr (rest != 0)
        transpose_registers<T, Config, P, Rows, rest>(src + (P.cols - rest), dst + (P.cols - rest) * P.to, f);
}

/// A block without gaps that is read as a whole: vectors of it, in source order.
template <class T, class Config, transpose_shape P>
struct dense_block {
    static constexpr std::size_t width = lane_width<T, Config>;
    static constexpr std::size_t elements = P.rows * P.cols, vectors = (elements + width - 1) / width;
    static constexpr std::size_t last = elements - (vectors - 1) * width;

    /// Picking a result takes a shuffle for each vector but the first.
    static constexpr bool pays = shuffles<T, width, Config>() && P.from == P.cols && P.rows > 1 && P.rows <= width &&
                                 P.cols <= width && vectors > 1 && vectors <= 4;

    /// The lanes of column `Column` that lie in vector `Vector`; the others from what is there already.
    template <std::size_t Column, std::size_t Vector>
    struct column {
        static constexpr std::size_t from(std::size_t lane) {
            const std::size_t at = lane * P.cols + Column;
            if (lane < P.rows && at / width == Vector)
                return width + at % width;
            return Vector == 1 && lane < P.rows && at / width == 0 ? at : lane;
        }
    };
};

template <class T, class Config, transpose_shape P, class Function>
ASHLAR_ALWAYS_INLINE void transpose_dense(const T* src, T* dst, Function f) {
    using block = dense_block<T, Config, P>;
    constexpr std::size_t width = block::width;
    using vec = lanes<T, width, Config>;
    vec all[block::vectors];
    ASHLAR_UNROLL
    for (std::size_t n = 0; n < block::vectors; ++n)
        all[n] = n + 1 == block::vectors ? vec::template load_partial<block::last>(src + n * width) : vec::load(src + n * width);
    [&]<std::size_t... C>(std::index_sequence<C...>) ASHLAR_LAMBDA_INLINE {
        const auto write = [&]<std::size_t Column, std::size_t... V>(std::index_sequence<V...>) ASHLAR_LAMBDA_INLINE {
            vec x = all[0];
            ((x = shuffle_as<typename block::template column<Column, V + 1>>(x, all[V + 1])), ...);
            if constexpr (P.pad && P.rows != width)
                x = select(vec::mask_type::first(P.rows), x, vec(T(0)));
            f(x).template store_partial<P.pad ? width : P.rows>(dst + Column * P.to);
        };
        (write.template operator()<C>(std::make_index_sequence<block::vectors - 1>{}), ...);
    }(std::make_index_sequence<P.cols>{});
}

/// A few rows that fit a vector, whose transpose has no gaps: vectors of it, in the order of the destination.
template <class T, class Config, transpose_shape P>
struct dense_result {
    static constexpr std::size_t width = lane_width<T, Config>;
    static constexpr std::size_t elements = P.rows * P.cols, vectors = (elements + width - 1) / width;
    static constexpr std::size_t last = elements - (vectors - 1) * width;
    static constexpr bool pays = shuffles<T, width, Config>() && P.to == P.rows && !P.pad && P.rows > 1 && P.rows <= 4 &&
                                 P.cols > 1 && P.cols <= width;

    template <std::size_t Vector, std::size_t Row>
    struct elements_of {
        static constexpr std::size_t from(std::size_t lane) {
            const std::size_t at = Vector * width + lane;
            if (at < elements && at % P.rows == Row)
                return width + at / P.rows;
            return Row == 1 && at < elements && at % P.rows == 0 ? at / P.rows : lane;
        }
    };
};

template <class T, class Config, transpose_shape P, class Function>
ASHLAR_ALWAYS_INLINE void transpose_to_dense(const T* src, T* dst, Function f) {
    using block = dense_result<T, Config, P>;
    constexpr std::size_t width = block::width;
    using vec = lanes<T, width, Config>;
    vec rows[P.rows];
    ASHLAR_UNROLL
    for (std::size_t r = 0; r < P.rows; ++r)
        rows[r] = vec::template load_partial<P.cols>(src + r * P.from);
    [&]<std::size_t... N>(std::index_sequence<N...>) ASHLAR_LAMBDA_INLINE {
        const auto write = [&]<std::size_t Vector, std::size_t... R>(std::index_sequence<R...>) ASHLAR_LAMBDA_INLINE {
            vec x = rows[0];
            ((x = shuffle_as<typename block::template elements_of<Vector, R + 1>>(x, rows[R + 1])), ...);
            f(x).template store_partial<Vector + 1 == block::vectors ? block::last : width>(dst + Vector * width);
        };
        (write.template operator()<N>(std::make_index_sequence<P.rows - 1>{}), ...);
    }(std::make_index_sequence<block::vectors>{});
}

/// Writes dst[c*to + r] = f(src[r*from + c]); f maps lanes to lanes, a scale for example. Nothing outside the source
/// block is read, nothing outside the destination rows (padded if asked) is written; the two must not overlap. The
/// way back from scratch is the same call with rows and columns exchanged.
template <class T, class Config, transpose_shape P, class Function = unchanged>
ASHLAR_ALWAYS_INLINE void transpose_tile(const T* src, T* dst, Function f = {}) {
    constexpr std::size_t width = lane_width<T, Config>;
    constexpr std::size_t rest = P.rows % width;
    static_assert(P.from >= P.cols || P.rows <= 1, "ashlar: transpose_tile: source rows overlap");
    static_assert(P.to >= (P.pad ? (P.rows + width - 1) / width * width : P.rows) || P.cols <= 1,
                  "ashlar: transpose_tile: destination rows overlap");
    if constexpr (dense_block<T, Config, P>::pays)
        return transpose_dense<T, Config, P>(src, dst, f);
    if constexpr (dense_result<T, Config, P>::pays)
        return transpose_to_dense<T, Config, P>(src, dst, f);
    for (std::size_t r = 0; r + width <= P.rows; r += width)
        transpose_rows<T, Config, P, width>(src + r * P.from, dst + r, f);
    if constexpr (rest != 0)
        transpose_rows<T, Config, P, rest>(src + (P.rows - rest) * P.from, dst + (P.rows - rest), f);
}

}  // namespace ashlar::detail
