// SPDX-License-Identifier: BSL-1.0
// Lanes of float from numbers of 16 or 8 bits in memory, and back: loads and stores convert them.
//
// Dispatch, decided by the types, for W lanes:
//   1. bf16 where registers are vectors: 16 bits widened and shifted, or rounded by integer arithmetic and narrowed
//   2. f16 with F16C or AVX-512: its instructions; on aarch64 those of NEON
//   3. integers of 8 bits where registers are vectors: widened and converted, or converted with rounding and narrowed
//   4. all else: one element after the other
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/core/narrow_float.hpp>
#include <ashlar/core/narrow_integer.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/lane_types.hpp>

namespace ashlar::inline v0_1::detail {

/// Vectors of Width lanes: in 16 or 8 bits, and widened to 32 bits.
template <std::size_t Width, class Stored>
struct narrow_vectors {
    typedef std::uint16_t narrow __attribute__((vector_size(Width * 2)));
    typedef std::uint32_t wide __attribute__((vector_size(Width * 4)));
    typedef float values __attribute__((vector_size(Width * 4)));
};
template <std::size_t Width>
struct narrow_vectors<Width, narrow_integer> {
    typedef std::int8_t narrow __attribute__((vector_size(Width)));
    typedef std::int32_t wide __attribute__((vector_size(Width * 4)));
    typedef float values __attribute__((vector_size(Width * 4)));
};

/// Which of the variants above applies.
enum class narrow_way : std::uint8_t { elements, integers, instructions, bytes };

template <class Stored, std::size_t Width, class Config>
consteval narrow_way narrow_way_of() {
    if constexpr (!requires { typename lane_ops<float, Width, Config>::vector; }) {
        return narrow_way::elements;
    } else {
#if defined(__SSE2__)
        if (std::is_same_v<Stored, narrow_integer>) return narrow_way::bytes;
        if (std::is_same_v<Stored, bf16>) return narrow_way::integers;
#if defined(__F16C__)
        if (Width <= 8) return narrow_way::instructions;
#endif
#if defined(__AVX512F__)
        if (Width == 16) return narrow_way::instructions;
#endif
        return narrow_way::elements;
#elif defined(__aarch64__) && !defined(__ARM_FEATURE_SVE_BITS)
        if (std::is_same_v<Stored, narrow_integer>) return narrow_way::bytes;
        return std::is_same_v<Stored, bf16> ? narrow_way::integers : narrow_way::instructions;
#else
        return narrow_way::elements;
#endif
    }
}

/// Loads and stores of Width lanes of float in memory of Stored.
template <class Stored, std::size_t Width, class Config>
struct narrow_lanes {
    using values = lanes<float, Width, Config>;
    static constexpr narrow_way way = narrow_way_of<Stored, Width, Config>();
    using vectors = narrow_vectors<(way == narrow_way::elements ? 4 : Width), Stored>;
    using narrow = typename vectors::narrow;
    using wide = typename vectors::wide;
    using float_vector = typename vectors::values;

    ASHLAR_ALWAYS_INLINE static constexpr values load(const Stored* source) { return load_some<Width>(source); }
    /// The first Count of them; the others are zero.
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static constexpr values load_some(const Stored* source) {
        if constexpr (way != narrow_way::elements) {
            if (!__builtin_is_constant_evaluated()) {
                return widened(first_bits<Count>(source));
            }
        }
        float all[Width] = {};
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < Count; ++i) all[i] = static_cast<float>(source[i]);
        return values::load(all);
    }
    ASHLAR_ALWAYS_INLINE static constexpr values gather(const Stored* source, std::ptrdiff_t stride) {
        float all[Width] = {};
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < Width; ++i)
            all[i] = static_cast<float>(source[static_cast<std::ptrdiff_t>(i) * stride]);
        return values::load(all);
    }
    ASHLAR_ALWAYS_INLINE static constexpr void store(values a, Stored* target) { store_some<Width>(a, target); }
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static constexpr void store_some(values a, Stored* target) {
        if constexpr (way != narrow_way::elements) {
            if (!__builtin_is_constant_evaluated()) {
                const narrow bits = narrowed(a);
                __builtin_memcpy(target, &bits, Count * sizeof(Stored));
                return;
            }
        }
        float all[Width] = {};
        a.store(all);
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < Count; ++i) target[i] = static_cast<Stored>(all[i]);
    }

private:
    /// Loads this many bytes, the first one into the lowest bits, and touches no others.
    template <std::size_t Bytes>
    ASHLAR_ALWAYS_INLINE static std::uint64_t word(const unsigned char* from) {
        constexpr std::size_t low = Bytes >= 8 ? 8 : Bytes >= 4 ? 4 : Bytes >= 2 ? 2 : Bytes;
        using unsigned_of_low = std::conditional_t<
            low == 8, std::uint64_t,
            std::conditional_t<low == 4, std::uint32_t, std::conditional_t<low == 2, std::uint16_t, std::uint8_t>>>;
        unsigned_of_low bits{};
        if constexpr (low != 0) __builtin_memcpy(&bits, from, low);
        if constexpr (Bytes <= low)
            return bits;
        else
            return bits | word<Bytes - low>(from + low) << (8 * low);
    }

    /// How many of `bytes` bytes the word at an index holds.
    static consteval std::size_t bytes_of_word(std::size_t bytes, std::size_t index) {
        const std::size_t before = index * 8;
        return bytes <= before ? 0 : bytes - before < 8 ? bytes - before : 8;
    }

    /// The bits of the first Count numbers, assembled in registers. A register load from memory that was just stored in
    /// part waits for that store, longer than the rest of a row takes.
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static narrow first_bits(const Stored* source) {
        constexpr std::size_t bytes = Count * sizeof(Stored), all = sizeof(narrow);
        const auto* const from = reinterpret_cast<const unsigned char*>(source);
        // Words are assembled as on little-endian machines.
        if constexpr (bytes == all || std::endian::native == std::endian::big) {
            narrow bits{};
            __builtin_memcpy(&bits, from, bytes);
            return bits;
        } else if constexpr (all == 4) {
            return __builtin_bit_cast(narrow, static_cast<std::uint32_t>(word<bytes>(from)));
        } else if constexpr (all == 8) {
            return __builtin_bit_cast(narrow, word<bytes>(from));
        } else {
            typedef std::uint64_t words __attribute__((vector_size(all)));
#if defined(ASHLAR_HAS_REGISTERS) && defined(__AVX__)
            if constexpr (all == 32 && bytes == 16)
                return __builtin_bit_cast(
                    narrow, _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#endif
#if defined(ASHLAR_HAS_REGISTERS) && defined(__AVX512BW__) && defined(__AVX512VL__)
            if constexpr (bytes != 4 && bytes != 8 && bytes != 16) {
                constexpr std::uint32_t first = (std::uint32_t{1} << Count) - 1;
                if constexpr (all == 32)
                    return __builtin_bit_cast(narrow, _mm256_maskz_loadu_epi16(__mmask16(first), from));
                else if constexpr (sizeof(Stored) == 2)
                    return __builtin_bit_cast(narrow, _mm_maskz_loadu_epi16(__mmask8(first), from));
                else
                    return __builtin_bit_cast(narrow, _mm_maskz_loadu_epi8(__mmask16(first), from));
            }
#endif
            return [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_LAMBDA_INLINE {
                return __builtin_bit_cast(narrow, words{word<bytes_of_word(bytes, Index)>(from + Index * 8)...});
            }(std::make_index_sequence<all / 8>{});
        }
    }

    ASHLAR_ALWAYS_INLINE static values widened(narrow bits) {
        using ops = lane_ops<float, Width, Config>;
        using vector = typename ops::vector;
        if constexpr (way == narrow_way::bytes)
            return values(ops::from_raw(__builtin_bit_cast(vector, converted_bytes(bits))));
        else if constexpr (way == narrow_way::integers)
            return values(ops::from_raw(__builtin_bit_cast(vector, upper_halves(bits))));
        else
            return values(ops::from_raw(__builtin_bit_cast(vector, widened_by_instruction(bits))));
    }
    ASHLAR_ALWAYS_INLINE static narrow narrowed(values a) {
        using ops = lane_ops<float, Width, Config>;
        if constexpr (way == narrow_way::bytes) {
            return rounded_bytes(ops::raw(a.data));
        } else if constexpr (way == narrow_way::integers) {
            const wide bits = __builtin_bit_cast(wide, ops::raw(a.data));
            const wide rounded = bits + std::uint32_t{0x7FFF} + (bits >> std::uint32_t{16} & std::uint32_t{1});
            const auto is_nan = (bits & std::uint32_t{0x7FFFFFFF}) > std::uint32_t{0x7F800000};
            const wide nan = bits | std::uint32_t{0x400000};
            const wide chosen = is_nan ? nan : rounded;
            return narrowed_integers(chosen >> std::uint32_t{16});
        } else {
            return narrowed_by_instruction(ops::raw(a.data));
        }
    }

    /// The bits as the upper halves of lanes. One permutation of bytes, if there is one, replaces two instructions of
    /// g++ that decoding over caches waits for (Zen 4: 120 us instead of 148). clang replaces the permutation by slower
    /// instructions.
    ASHLAR_ALWAYS_INLINE static wide upper_halves(narrow bits) {
#if defined(ASHLAR_HAS_REGISTERS) && defined(__AVX512VBMI__) && !defined(__clang__)
        if constexpr (Width == 16 && has<Config, isa::avx512vbmi>) {
            typedef std::uint8_t indices __attribute__((vector_size(64)));
            constexpr indices from{0,  0,  0, 1,  0,  0,  2, 3,  0,  0,  4, 5,  0,  0,  6, 7,  0,  0, 8, 9,  0,  0, 10,
                                   11, 0,  0, 12, 13, 0,  0, 14, 15, 0,  0, 16, 17, 0,  0, 18, 19, 0, 0, 20, 21, 0, 0,
                                   22, 23, 0, 0,  24, 25, 0, 0,  26, 27, 0, 0,  28, 29, 0, 0,  30, 31};
            constexpr std::uint64_t upper = 0xCCCC'CCCC'CCCC'CCCC;
            return __builtin_bit_cast(
                wide, _mm512_maskz_permutexvar_epi8(upper, __builtin_bit_cast(__m512i, from),
                                                    _mm512_castsi256_si512(__builtin_bit_cast(__m256i, bits))));
        }
#endif
        return widened_integers(bits) << std::uint32_t{16};
    }

    /// One instruction each; g++ 12 would take halves of registers apart and join them.
    ASHLAR_ALWAYS_INLINE static wide widened_integers(narrow bits) {
#if defined(ASHLAR_HAS_REGISTERS) && defined(__AVX512F__)
        if constexpr (Width == 16)
            return __builtin_bit_cast(wide, _mm512_cvtepu16_epi32(__builtin_bit_cast(__m256i, bits)));
#endif
#if defined(ASHLAR_HAS_REGISTERS) && defined(__AVX2__)
        if constexpr (Width == 8)
            return __builtin_bit_cast(wide, _mm256_cvtepu16_epi32(__builtin_bit_cast(__m128i, bits)));
#endif
        return __builtin_convertvector(bits, wide);
    }
    ASHLAR_ALWAYS_INLINE static narrow narrowed_integers(wide bits) {
#if defined(ASHLAR_HAS_REGISTERS) && defined(__AVX512F__)
        if constexpr (Width == 16)
            return __builtin_bit_cast(narrow, _mm512_cvtepi32_epi16(__builtin_bit_cast(__m512i, bits)));
#endif
        return __builtin_convertvector(bits, narrow);
    }

    /// Widened, and converted to floats.
    ASHLAR_ALWAYS_INLINE static float_vector converted_bytes(narrow bits) {
#if defined(ASHLAR_HAS_REGISTERS) && defined(__AVX512F__)
        if constexpr (Width == 16)
            return __builtin_bit_cast(float_vector,
                                      _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(__builtin_bit_cast(__m128i, bits))));
#endif
#if defined(ASHLAR_HAS_REGISTERS) && defined(__AVX2__)
        if constexpr (Width == 8) {
            __m128i low{};
            __builtin_memcpy(&low, &bits, sizeof bits);
            return __builtin_bit_cast(float_vector, _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(low)));
        }
#endif
#if defined(ASHLAR_HAS_REGISTERS) && defined(__SSE4_1__)
        if constexpr (Width == 4) {
            __m128i low{};
            __builtin_memcpy(&low, &bits, sizeof bits);
            return __builtin_bit_cast(float_vector, _mm_cvtepi32_ps(_mm_cvtepi8_epi32(low)));
        }
#endif
        return __builtin_convertvector(__builtin_convertvector(bits, wide), float_vector);
    }
    /// Rounded to the nearest integer by the instruction, which makes the least integer of NaN, whose last bits are 0;
    /// then narrowed.
    template <class Vector>
    ASHLAR_ALWAYS_INLINE static narrow rounded_bytes([[maybe_unused]] Vector a) {
#if defined(ASHLAR_HAS_REGISTERS) && defined(__SSE2__)
#if defined(__AVX512F__)
        if constexpr (Width == 16)
            return __builtin_bit_cast(narrow, _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(__builtin_bit_cast(__m512, a))));
#endif
#if defined(__AVX__)
        if constexpr (Width == 8)
            return __builtin_convertvector(__builtin_bit_cast(wide, _mm256_cvtps_epi32(__builtin_bit_cast(__m256, a))),
                                           narrow);
#endif
        if constexpr (Width == 4)
            return __builtin_convertvector(__builtin_bit_cast(wide, _mm_cvtps_epi32(__builtin_bit_cast(__m128, a))),
                                           narrow);
#elif defined(ASHLAR_HAS_REGISTERS) && defined(__aarch64__)
        if constexpr (Width == 4)
            return __builtin_convertvector(__builtin_bit_cast(wide, vcvtnq_s32_f32(__builtin_bit_cast(float32x4_t, a))),
                                           narrow);
#endif
    }

    template <class Bits>
    ASHLAR_ALWAYS_INLINE static auto widened_by_instruction([[maybe_unused]] Bits bits) {
#if defined(ASHLAR_HAS_REGISTERS) && defined(__SSE2__)
#if defined(__AVX512F__)
        if constexpr (Width == 16) return _mm512_cvtph_ps(__builtin_bit_cast(__m256i, bits));
#endif
#if defined(__F16C__)
        if constexpr (Width == 8) return _mm256_cvtph_ps(__builtin_bit_cast(__m128i, bits));
        if constexpr (Width == 4) {
            __m128i low{};
            __builtin_memcpy(&low, &bits, sizeof bits);
            return _mm_cvtph_ps(low);
        }
#endif
#elif defined(ASHLAR_HAS_REGISTERS) && defined(__aarch64__)
        if constexpr (Width == 4) return vcvt_f32_f16(__builtin_bit_cast(float16x4_t, bits));
#endif
    }
    template <class Vector>
    ASHLAR_ALWAYS_INLINE static narrow narrowed_by_instruction([[maybe_unused]] Vector a) {
#if defined(ASHLAR_HAS_REGISTERS) && defined(__SSE2__)
#if defined(__AVX512F__)
        if constexpr (Width == 16)
            return __builtin_bit_cast(narrow,
                                      _mm512_cvtps_ph(__builtin_bit_cast(__m512, a), _MM_FROUND_TO_NEAREST_INT));
#endif
#if defined(__F16C__)
        if constexpr (Width == 8)
            return __builtin_bit_cast(narrow,
                                      _mm256_cvtps_ph(__builtin_bit_cast(__m256, a), _MM_FROUND_TO_NEAREST_INT));
        if constexpr (Width == 4) {
            const __m128i both = _mm_cvtps_ph(__builtin_bit_cast(__m128, a), _MM_FROUND_TO_NEAREST_INT);
            narrow low;
            __builtin_memcpy(&low, &both, sizeof low);
            return low;
        }
#endif
#elif defined(ASHLAR_HAS_REGISTERS) && defined(__aarch64__)
        if constexpr (Width == 4) return __builtin_bit_cast(narrow, vcvt_f16_f32(__builtin_bit_cast(float32x4_t, a)));
#endif
    }
};

}  // namespace ashlar::detail
