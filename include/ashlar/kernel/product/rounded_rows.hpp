// SPDX-License-Identifier: BSL-1.0
// The rows of a left operand rounded to 8 bits, each by its own scale: once for all columns of a tile's product.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/core/quantization.hpp>
#include <ashlar/kernel/product/quantized_shape.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/byte_dots.hpp>

namespace ashlar::detail {

/// Whether floats are rounded to integers by an instruction, a register at a time; otherwise one after the other.
template <std::size_t Width, class Config>
inline constexpr bool rounds_registers =
    in_register<float, Width, Config>() && scalable_bits<Config> == 0 &&
    (has<Config, isa::aarch64> || (has<Config, isa::sse2> && (Width != 8 || has<Config, isa::avx2>)));

/// The integers nearest to Width floats, of two as near ones the even one, as bytes, with 128 added or not; of NaN any.
template <bool IsOffset, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE void round_register(lanes<float, Width, Config> values, [[maybe_unused]] std::uint8_t* to) {
    [[maybe_unused]] const auto raw = decltype(values)::ops::raw(values.data);
#if defined(ASHLAR_HAS_REGISTERS) && defined(__SSE2__)
    const auto placed = [](__m128i bytes) ASHLAR_LAMBDA_INLINE {
        return IsOffset ? _mm_xor_si128(bytes, _mm_set1_epi8(-128)) : bytes;
    };
    if constexpr (Width == 16) {
#if defined(__AVX512F__)
        const __m128i bytes = placed(_mm512_cvtepi32_epi8(_mm512_cvtps_epi32(__builtin_bit_cast(__m512, raw))));
        __builtin_memcpy(to, &bytes, 16);
#endif
    } else if constexpr (Width == 8) {
#if defined(__AVX2__)
        const __m256i whole = _mm256_cvtps_epi32(__builtin_bit_cast(__m256, raw));
        const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1)),
                      bytes = placed(_mm_packs_epi16(words, words));
        __builtin_memcpy(to, &bytes, 8);
#endif
    } else {
        const __m128i whole = _mm_cvtps_epi32(__builtin_bit_cast(__m128, raw)), words = _mm_packs_epi32(whole, whole),
                      bytes = placed(_mm_packs_epi16(words, words));
        __builtin_memcpy(to, &bytes, 4);
    }
#elif defined(ASHLAR_HAS_REGISTERS) && defined(__aarch64__)
    const int16x4_t words = vqmovn_s32(vcvtnq_s32_f32(__builtin_bit_cast(float32x4_t, raw)));
    const int8x8_t bytes = vqmovn_s16(vcombine_s16(words, words));
    __builtin_memcpy(to, &bytes, 4);
#endif
}

/// Rounded rows in memory of rounded_rows_bytes bytes: lines of bytes, and behind them the scales of rows and, where
/// kernels ask for it, what their sums start at.
template <class Config, quantized_shape Product>
struct rounded_rows {
    static constexpr std::size_t width = lane_width<float, Config>, depth = Product.right.rows,
                                 line = rounded_row_bytes(depth), filled = Product.right.groups() * Product.right.group;
    using values = lanes<float, width, Config>;
    using dots = byte_dots<width, Config>;
    static constexpr bool is_offset = dots::is_offset;

    std::uint8_t* bytes;

    ASHLAR_STAGE_INLINE const std::uint8_t* row(std::size_t i) const { return bytes + i * line; }
    ASHLAR_STAGE_INLINE float scale(std::size_t i) const {
        float result;
        __builtin_memcpy(&result, scales() + i * sizeof result, sizeof result);
        return result;
    }
    ASHLAR_STAGE_INLINE std::int32_t start(std::size_t i) const {
        std::int32_t result = 0;
        if constexpr (dots::starts_at_negatives) __builtin_memcpy(&result, starts() + i * sizeof result, sizeof result);
        return result;
    }

    /// Rounds the first `rows` rows.
    ASHLAR_STAGE_INLINE void fill(const float* from, std::size_t rows) const {
        for (std::size_t i = 0; i < rows; ++i, from += Product.row_distance) {
            const byte_scale by = byte_scale_of(greatest_of(from));
            __builtin_memcpy(scales() + i * sizeof by.scale, &by.scale, sizeof by.scale);
            round(from, by.inverse, bytes + i * line);
            if constexpr (dots::starts_at_negatives) {
                const std::int32_t negatives = sum_of_negatives<filled, Config>(bytes + i * line);
                __builtin_memcpy(starts() + i * sizeof negatives, &negatives, sizeof negatives);
            }
        }
    }

private:
    using bits = lanes<std::int32_t, width, Config>;

    ASHLAR_STAGE_INLINE std::uint8_t* scales() const { return bytes + Product.rows * line; }
    ASHLAR_STAGE_INLINE std::uint8_t* starts() const { return scales() + Product.rows * sizeof(float); }

    ASHLAR_STAGE_INLINE static std::int32_t greatest_of(const float* from) {
        bits greatest(0);
        std::size_t k = 0;
        for (; k + width <= depth; k += width) greatest = larger(greatest, values::load(from + k));
        if constexpr (depth % width != 0)
            greatest = larger(greatest, values::template load_partial<depth % width>(from + k));
        return reduce_max(greatest);
    }
    ASHLAR_STAGE_INLINE static bits larger(bits greatest, values x) {
        return (max)(greatest, bit_cast_lanes<std::int32_t>(x) & 0x7FFFFFFF);
    }

    ASHLAR_STAGE_INLINE static void round(const float* from, float inverse, [[maybe_unused]] std::uint8_t* to) {
        if constexpr (rounds_registers<width, Config>) {
            std::size_t k = 0;
            for (; k + width <= depth; k += width)
                round_register<is_offset>(values::load(from + k) * values(inverse), to + k);
            if constexpr (depth % width != 0)
                round_register<is_offset>(values::template load_partial<depth % width>(from + k) * values(inverse),
                                          to + k);
        } else {
            for (std::size_t k = 0; k < filled; ++k)
                to[k] = static_cast<std::uint8_t>(k < depth ? rounded_to_byte(from[k], inverse) : 0);
        }
    }
};

}  // namespace ashlar::detail
