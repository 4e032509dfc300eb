// SPDX-License-Identifier: BSL-1.0
// Rounds the rows of a left operand to 8 bits, 32 entries by their own scale, once for all columns of a tile's product.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/core/quantization.hpp>
#include <ashlar/kernel/product/int4_shape.hpp>
#include <ashlar/kernel/product/rounded_rows.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

/// Rounded rows in memory of int4_rows_bytes bytes: lines of bytes, then for each row the scales of its groups, then
/// the start values of its sums: -8 times the sum of a group, because the right operand's integers have 8 added.
template <class Config, int4_shape Product>
struct int4_rows {
    static constexpr std::size_t depth = Product.right.rows, line = rounded_row_bytes(depth),
                                 groups = Product.right.groups(), group = int4_layout::group,
                                 width = lane_width<float, Config>;
    using values = lanes<float, width, Config>;

    std::uint8_t* bytes;

    ASHLAR_STAGE_INLINE const std::uint8_t* row(std::size_t i) const { return bytes + i * line; }
    ASHLAR_STAGE_INLINE float scale(std::size_t i, std::size_t g) const {
        float result;
        __builtin_memcpy(&result, scales() + (i * groups + g) * sizeof result, sizeof result);
        return result;
    }
    ASHLAR_STAGE_INLINE std::int32_t start(std::size_t i, std::size_t g) const {
        std::int32_t result;
        __builtin_memcpy(&result, starts() + (i * groups + g) * sizeof result, sizeof result);
        return result;
    }

    /// Rounds the first `rows` rows.
    ASHLAR_STAGE_INLINE void fill(const float* from, std::size_t rows) const {
        for (std::size_t i = 0; i < rows; ++i, from += Product.row_distance) {
            for (std::size_t g = 0; g < depth / group; ++g) fill_group<group>(from + g * group, i, g);
            if constexpr (depth % group != 0) fill_group<depth % group>(from + depth / group * group, i, depth / group);
        }
    }

private:
    ASHLAR_STAGE_INLINE std::uint8_t* scales() const { return bytes + Product.rows * line; }
    ASHLAR_STAGE_INLINE std::uint8_t* starts() const { return scales() + Product.rows * groups * sizeof(float); }

    /// Rounds Count entries; the rest of the group is zero.
    template <std::size_t Count>
    ASHLAR_STAGE_INLINE void fill_group(const float* from, std::size_t i, std::size_t g) const {
        std::uint8_t* const to = bytes + i * line + g * group;
        const byte_scale by = byte_scale_of(greatest_of<Count>(from));
        __builtin_memcpy(scales() + (i * groups + g) * sizeof by.scale, &by.scale, sizeof by.scale);
        if constexpr (in_registers) {
            for (std::size_t k = 0; k + width <= Count; k += width)
                round_register<false>(values::load(from + k) * values(by.inverse), to + k);
            if constexpr (Count % width != 0) {
                constexpr std::size_t first = Count / width * width;
                round_register<false>(values::template load_partial<Count % width>(from + first) * values(by.inverse),
                                      to + first);
            }
            // Weights there are zero: this is only for memory that nobody has written.
            for (std::size_t k = (Count + width - 1) / width * width; k < group; ++k) to[k] = 0;
        } else {
            for (std::size_t k = 0; k < group; ++k)
                to[k] = static_cast<std::uint8_t>(k < Count ? rounded_element<Config>(from[k], by.inverse) : 0);
        }
        const std::int32_t first = -8 * sum_of(to);
        __builtin_memcpy(starts() + (i * groups + g) * sizeof first, &first, sizeof first);
    }
    static constexpr bool in_registers = group % width == 0 && rounds_registers<width, Config>;

    template <std::size_t Count>
    ASHLAR_STAGE_INLINE static std::int32_t greatest_of(const float* from) {
        using bits = lanes<std::int32_t, width, Config>;
        bits greatest(0);
        const auto larger = [&](values x) ASHLAR_STAGE_LAMBDA {
            greatest = (max)(greatest, bit_cast_lanes<std::int32_t>(x) & 0x7FFFFFFF);
        };
        for (std::size_t k = 0; k + width <= Count; k += width) larger(values::load(from + k));
        if constexpr (Count % width != 0)
            larger(values::template load_partial<Count % width>(from + Count / width * width));
        return reduce_max(greatest);
    }
    /// The sum of a group of signed bytes.
    ASHLAR_STAGE_INLINE static std::int32_t sum_of(const std::uint8_t* from) {
#if defined(ASHLAR_HAS_REGISTERS) && defined(__SSE2__)
        // Sums of unsigned bytes with 128 added.
        const __m128i zero = _mm_setzero_si128(), offset = _mm_set1_epi8(-128);
        __m128i both[2];
        __builtin_memcpy(both, from, sizeof both);
        const __m128i sums = _mm_add_epi64(_mm_sad_epu8(_mm_xor_si128(both[0], offset), zero),
                                           _mm_sad_epu8(_mm_xor_si128(both[1], offset), zero));
        return _mm_cvtsi128_si32(_mm_add_epi64(sums, _mm_unpackhi_epi64(sums, sums))) - 128 * 32;
#else
        std::int32_t sum = 0;
        for (std::size_t k = 0; k < group; ++k) sum += static_cast<std::int8_t>(from[k]);
        return sum;
#endif
    }
};

}  // namespace ashlar::detail
