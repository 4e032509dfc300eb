// SPDX-License-Identifier: BSL-1.0
// Rows of a left operand as groups of narrow elements. They are rounded once and read by all columns.
#pragma once

#include <bit>
#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

/// Rows of `Depth` floats, `Stride` apart, as pairs of bf16, each in the bits of a float, rounded to nearest. Values
/// that are bf16 already do not change. `pairs` has room for `rows` rows of grouped_steps(Depth, 2). If the depth is
/// odd, the last pair ends with a zero.
template <class Config, std::size_t Depth, std::size_t Stride>
ASHLAR_STAGE_INLINE void group_rows(const float* from, std::size_t rows, float* pairs) {
    constexpr std::size_t width = lane_width<float, Config>, rest = Depth % width, steps = grouped_steps(Depth, 2);
    using vec = lanes<float, width, Config>;
    constexpr std::size_t rest_bytes = steps * sizeof(float) - Depth / width * width * sizeof(bf16);
    // Through an array, because elements of one type are written where those of another are read.
    for (std::size_t r = 0; r < rows; ++r, from += Stride, pairs += steps) {
        auto* to = reinterpret_cast<unsigned char*>(pairs);
        if constexpr (std::endian::native == std::endian::big) {
            // The first element of a pair is the lower half of a lane on all machines.
            for (std::size_t k = 0; k < 2 * steps; ++k) {
                const bf16 rounded(k < Depth ? from[k] : 0.0f);
                __builtin_memcpy(to + (k ^ 1) * sizeof(bf16), &rounded, sizeof rounded);
            }
            continue;
        }
        for (std::size_t k = 0; k + width <= Depth; k += width, to += width * sizeof(bf16)) {
            bf16 rounded[width];
            vec::load(from + k).store(rounded);
            __builtin_memcpy(to, rounded, sizeof rounded);
        }
        if constexpr (rest != 0) {
            bf16 rounded[width + 1];
            vec::template load_partial<rest>(from + Depth / width * width).store(rounded);
            rounded[width] = bf16(0.0f);
            __builtin_memcpy(to, rounded, rest_bytes);
        } else if constexpr (Depth % 2 != 0) {
            __builtin_memset(to, 0, sizeof(bf16));
        }
    }
}

}  // namespace ashlar::detail
