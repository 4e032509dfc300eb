// SPDX-License-Identifier: BSL-1.0
// Transposes a static block between row-major memory and scratch whose rows are lanes.
//
// Dispatch, decided by the types, for W lanes:
//   1. W x W tiles in registers, run-time loops over them
//   2. the last rows: fewer rows are loaded, the other lanes are zero; stored in full if P.pad, else partially
//   3. the last columns: loaded partially, only these columns are stored
#pragma once

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd_transpose.hpp>

#include <cstddef>

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
    ASHLAR_UNROLL
    for (std::size_t r = 0; r < Rows; ++r)
        tile[r] = f(vec::template load_partial<Cols>(src + r * P.from));
    ASHLAR_UNROLL
    for (std::size_t r = Rows; r < width; ++r)
        tile[r] = f(vec(T(0)));
    transpose_in_place(tile);
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
    for (std::size_t r = 0; r + width <= P.rows; r += width)
        transpose_rows<T, Config, P, width>(src + r * P.from, dst + r, f);
    if constexpr (rest != 0)
        transpose_rows<T, Config, P, rest>(src + (P.rows - rest) * P.from, dst + (P.rows - rest), f);
}

}  // namespace ashlar::detail
