// SPDX-License-Identifier: BSL-1.0
// Products of four bytes by four, added up in the 32 bits of each lane: exact, so that all ways give the same sums.
//
// Dispatch, decided by the types, for W lanes of a factor that lies in 4 bytes and is the same for all lanes:
//   1. VNNI of AVX-512 and AVX: vpdpbusd, whose left bytes are unsigned: they are kept with 128 added, and sums start
//      at -128 times the sum of the right ones
//   2. AVX-512BW, AVX2, SSSE3: vpmaddubsw of magnitudes by right bytes, whose bits are turned over where the left
//      one is negative: -1 - w in place of -w, which any unit does, and sums start at the sum of the negative
//      magnitudes. Two products of 127 by 128 fit into 16 bits
//   3. SSE2: bytes widened to 16 bits, pmaddwd
//   4. NEON: sdot, or smull and pairwise additions
//   5. the specializations for 32-bit Arm, included below
//   6. all else: one product after the other
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/machine.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

/// Which of the variants above applies.
enum class byte_way : std::uint8_t { elements, unsigned_dot, signs, words, signed_dot, pairs, dual, across };

template <std::size_t Width, class Config>
consteval byte_way byte_way_of() {
    if constexpr (!in_register<std::int32_t, Width, Config>() || scalable_bits<Config> != 0) {
        return byte_way::elements;
    } else if constexpr (has<Config, isa::sse2>) {
        constexpr bool vnni =
            Width == 16 ? has<Config, isa::avx512vnni>
                        : has<Config, isa::avxvnni> || (has<Config, isa::avx512vnni> && has<Config, isa::avx512vl>);
        constexpr bool magnitudes = Width == 16  ? has<Config, isa::avx512bw>
                                    : Width == 8 ? has<Config, isa::avx2>
                                                 : has<Config, isa::ssse3>;
        if (vnni) return byte_way::unsigned_dot;
        if (magnitudes) return byte_way::signs;
        return Width == 4 ? byte_way::words : byte_way::elements;
    } else if constexpr (has<Config, isa::aarch64>) {
        return has<Config, isa::dotprod> ? byte_way::signed_dot : byte_way::pairs;
    } else {
        return byte_way::elements;
    }
}

/// The sum of the magnitudes of the negative ones of Count bytes.
template <std::size_t Count, class Config>
ASHLAR_ALWAYS_INLINE std::int32_t sum_of_negatives([[maybe_unused]] const std::uint8_t* bytes) {
    std::int32_t sum = 0;
#if defined(ASHLAR_HAS_REGISTERS) && defined(__SSSE3__)
    const __m128i zero = _mm_setzero_si128();
    __m128i sums = zero;
    for (std::size_t k = 0; k < Count; k += 16) {
        __m128i all = zero;
        __builtin_memcpy(&all, bytes + k, Count - k < 16 ? Count - k : 16);
        const __m128i negative = _mm_and_si128(_mm_abs_epi8(all), _mm_cmpgt_epi8(zero, all));
        sums = _mm_add_epi32(sums, _mm_sad_epu8(negative, zero));
    }
    sum = _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_unpackhi_epi64(sums, sums)));
#endif
    return sum;
}

template <std::size_t Width, class Config>
struct byte_dots {
    static constexpr byte_way way = byte_way_of<Width, Config>();
    /// The offset of left bytes in memory.
    static constexpr bool is_offset = way == byte_way::unsigned_dot;
    /// Whether sums start at the sum of the left row's negative magnitudes.
    static constexpr bool starts_at_negatives = way == byte_way::signs;
    /// Whether rounded rows have 16 bits for each byte, in the order that `spread_widened` reads.
    static constexpr bool widens = false;
    /// Groups of four depth steps that one call of `add` takes.
    static constexpr std::size_t groups = 1;
    using sums = lanes<std::int32_t, Width, Config>;

    /// Four right bytes for each lane.
    struct register_bytes {
        typedef std::int8_t type __attribute__((vector_size(way == byte_way::elements ? 4 : Width * 4)));
    };
    struct array_bytes {
        struct type {
            std::int8_t values[Width][4];
        };
    };
    using right = typename std::conditional_t<way == byte_way::elements, array_bytes, register_bytes>::type;

    /// The bytes of Count columns: panels of `Panel` columns are PanelSize bytes apart.
    template <std::size_t Panel, std::size_t PanelSize, std::size_t Count, std::size_t Groups = groups>
    ASHLAR_ALWAYS_INLINE static right load(const std::int8_t* from) {
        right bytes;
        if constexpr (Width <= Panel) {
            __builtin_memcpy(&bytes, from, sizeof bytes);
        } else {
            bytes = right{};
            auto* to = reinterpret_cast<char*>(&bytes);
            for (std::size_t l = 0; l < Count; ++l)
                __builtin_memcpy(to + 4 * l, from + l / Panel * PanelSize + l % Panel * 4, 4);
        }
        return bytes;
    }

    /// Four left bytes as in memory.
    struct left {
        std::uint8_t bytes[4];
    };
    ASHLAR_ALWAYS_INLINE static left spread(const std::uint8_t* from) {
        left quad;
        __builtin_memcpy(quad.bytes, from, 4);
        return quad;
    }

    ASHLAR_ALWAYS_INLINE static sums add(sums to, left x, const right& w) {
        if constexpr (way == byte_way::elements) {
            std::int32_t all[Width];
            to.store(all);
            ASHLAR_UNROLL
            for (std::size_t l = 0; l < Width; ++l)
                for (std::size_t i = 0; i < 4; ++i)
                    all[l] += static_cast<std::int32_t>(static_cast<std::int8_t>(x.bytes[i])) * w.values[l][i];
            return sums::load(all);
        } else {
            using ops = typename sums::ops;
            using vector = typename ops::vector;
            std::int32_t quad;
            __builtin_memcpy(&quad, x.bytes, 4);
            return sums(ops::from_raw(__builtin_bit_cast(vector, added(ops::raw(to.data), quad, w))));
        }
    }

private:
#if defined(ASHLAR_HAS_REGISTERS) && defined(__SSE2__)
    template <class Sums>
    ASHLAR_ALWAYS_INLINE static auto added(Sums sum, std::int32_t quad, const right& w) {
        if constexpr (Width == 16) {
#if defined(__AVX512F__)
            const auto to = __builtin_bit_cast(__m512i, sum), by = __builtin_bit_cast(__m512i, w);
            const __m512i x = _mm512_set1_epi32(quad);
#if defined(__AVX512VNNI__)
#if defined(__clang__)
            return _mm512_dpbusd_epi32(to, x, by);
#else
            // g++ 12 treats sums that stay in one register as copies, and spills them.
            __m512i next = to;
            __asm__("vpdpbusd\t{%2, %1, %0|%0, %1, %2}" : "+v"(next) : "v"(x), "v"(by));
            return next;
#endif
#elif defined(__AVX512BW__)
            const __m512i negative = _mm512_movm_epi8(_mm512_movepi8_mask(x)),
                          pairs = _mm512_maddubs_epi16(_mm512_abs_epi8(x), _mm512_xor_si512(by, negative));
            return _mm512_add_epi32(to, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
#endif
#endif
        } else if constexpr (Width == 8) {
#if defined(__AVX2__)
            const auto to = __builtin_bit_cast(__m256i, sum), by = __builtin_bit_cast(__m256i, w);
            const __m256i x = _mm256_set1_epi32(quad);
#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
            return _mm256_dpbusd_epi32(to, x, by);
#elif defined(__AVXVNNI__)
            return _mm256_dpbusd_avx_epi32(to, x, by);
#else
            const __m256i negative = _mm256_cmpgt_epi8(_mm256_setzero_si256(), x),
                          pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(x), _mm256_xor_si256(by, negative));
            return _mm256_add_epi32(to, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
#endif
#endif
        } else {
            const auto to = __builtin_bit_cast(__m128i, sum), by = __builtin_bit_cast(__m128i, w);
            const __m128i x = _mm_set1_epi32(quad);
#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
            return _mm_dpbusd_epi32(to, x, by);
#elif defined(__AVXVNNI__)
            return _mm_dpbusd_avx_epi32(to, x, by);
#elif defined(__SSSE3__)
            const __m128i negative = _mm_cmpgt_epi8(_mm_setzero_si128(), x),
                          pairs = _mm_maddubs_epi16(_mm_abs_epi8(x), _mm_xor_si128(by, negative));
            return _mm_add_epi32(to, _mm_madd_epi16(pairs, _mm_set1_epi16(1)));
#else
            const auto low = [](__m128i a) ASHLAR_LAMBDA_INLINE { return _mm_srai_epi16(_mm_unpacklo_epi8(a, a), 8); };
            const auto high = [](__m128i a) ASHLAR_LAMBDA_INLINE { return _mm_srai_epi16(_mm_unpackhi_epi8(a, a), 8); };
            const __m128i wide = low(x), first = _mm_madd_epi16(wide, low(by)), second = _mm_madd_epi16(wide, high(by));
            // Each vector has two sums for each of two lanes.
            const __m128 a = _mm_castsi128_ps(first), b = _mm_castsi128_ps(second);
            const __m128i even = _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0))),
                          odd = _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
            return _mm_add_epi32(to, _mm_add_epi32(even, odd));
#endif
        }
    }
#elif defined(ASHLAR_HAS_REGISTERS) && defined(__aarch64__)
    template <class Sums>
    ASHLAR_ALWAYS_INLINE static auto added(Sums sum, std::int32_t quad, const right& w) {
        const auto to = __builtin_bit_cast(int32x4_t, sum);
        const auto by = __builtin_bit_cast(int8x16_t, w);
        const int8x16_t x = vreinterpretq_s8_s32(vdupq_n_s32(quad));
#if defined(__ARM_FEATURE_DOTPROD)
        return vdotq_s32(to, by, x);
#else
        const int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(by), vget_low_s8(x))),
                        high = vpaddlq_s16(vmull_high_s8(by, x));
        return vaddq_s32(to, vpaddq_s32(low, high));
#endif
    }
#endif
};

}  // namespace ashlar::detail

#include <ashlar/kernel/simd/dual_byte_dots.hpp>
#include <ashlar/kernel/simd/mve_byte_dots.hpp>
