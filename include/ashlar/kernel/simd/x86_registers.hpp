// SPDX-License-Identifier: BSL-1.0
// Instructions of x86 by register type, called directly.
#pragma once

// xsimd's functions are noexcept, and g++ 12 assumes that most vector intrinsics may throw: each noexcept function
// inlined around one makes the object need a C++ personality routine, which embedded builds lack.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/kernel/simd.hpp>

#if defined(ASHLAR_HAS_REGISTERS) && defined(__SSE2__)

namespace ashlar::inline v0_1::detail {

/// Members of a template, so that kernel/simd/register_lanes.hpp finds them in any order of includes.
template <class Config>
struct x86_instructions {

    ASHLAR_ALWAYS_INLINE static __m128(min)(__m128 a, __m128 b) { return _mm_min_ps(a, b); }
    ASHLAR_ALWAYS_INLINE static __m128(max)(__m128 a, __m128 b) { return _mm_max_ps(a, b); }
    ASHLAR_ALWAYS_INLINE static __m128 sqrt(__m128 a) { return _mm_sqrt_ps(a); }
    ASHLAR_ALWAYS_INLINE static __m128d(min)(__m128d a, __m128d b) { return _mm_min_pd(a, b); }
    ASHLAR_ALWAYS_INLINE static __m128d(max)(__m128d a, __m128d b) { return _mm_max_pd(a, b); }
    ASHLAR_ALWAYS_INLINE static __m128d sqrt(__m128d a) { return _mm_sqrt_pd(a); }

    /// Bit i is the sign of lane i, lanes of `Bytes`.
    template <std::size_t Bytes>
    ASHLAR_ALWAYS_INLINE static std::uint32_t signs_of(__m128i a) {
        if constexpr (Bytes == 4)
            return static_cast<std::uint32_t>(_mm_movemask_ps(__builtin_bit_cast(__m128, a)));
        else if constexpr (Bytes == 8)
            return static_cast<std::uint32_t>(_mm_movemask_pd(__builtin_bit_cast(__m128d, a)));
        else if constexpr (Bytes == 2)
            return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(a, __m128i{})));
        else
            return static_cast<std::uint32_t>(_mm_movemask_epi8(a));
    }

#if defined(__SSE4_1__)
    static constexpr int to_nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC,
                         downwards = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
    ASHLAR_ALWAYS_INLINE static __m128 nearest(__m128 a) { return _mm_round_ps(a, to_nearest); }
    ASHLAR_ALWAYS_INLINE static __m128 floor(__m128 a) { return _mm_round_ps(a, downwards); }
    ASHLAR_ALWAYS_INLINE static __m128d nearest(__m128d a) { return _mm_round_pd(a, to_nearest); }
    ASHLAR_ALWAYS_INLINE static __m128d floor(__m128d a) { return _mm_round_pd(a, downwards); }
#endif

#if defined(__AVX__)
    ASHLAR_ALWAYS_INLINE static __m256(min)(__m256 a, __m256 b) { return _mm256_min_ps(a, b); }
    ASHLAR_ALWAYS_INLINE static __m256(max)(__m256 a, __m256 b) { return _mm256_max_ps(a, b); }
    ASHLAR_ALWAYS_INLINE static __m256 sqrt(__m256 a) { return _mm256_sqrt_ps(a); }
    ASHLAR_ALWAYS_INLINE static __m256 nearest(__m256 a) { return _mm256_round_ps(a, to_nearest); }
    ASHLAR_ALWAYS_INLINE static __m256 floor(__m256 a) { return _mm256_round_ps(a, downwards); }
    ASHLAR_ALWAYS_INLINE static __m256d(min)(__m256d a, __m256d b) { return _mm256_min_pd(a, b); }
    ASHLAR_ALWAYS_INLINE static __m256d(max)(__m256d a, __m256d b) { return _mm256_max_pd(a, b); }
    ASHLAR_ALWAYS_INLINE static __m256d sqrt(__m256d a) { return _mm256_sqrt_pd(a); }
    ASHLAR_ALWAYS_INLINE static __m256d nearest(__m256d a) { return _mm256_round_pd(a, to_nearest); }
    ASHLAR_ALWAYS_INLINE static __m256d floor(__m256d a) { return _mm256_round_pd(a, downwards); }

    template <std::size_t Bytes>
    ASHLAR_ALWAYS_INLINE static std::uint32_t signs_of(__m256i a) {
        if constexpr (Bytes == 4)
            return static_cast<std::uint32_t>(_mm256_movemask_ps(__builtin_bit_cast(__m256, a)));
        else if constexpr (Bytes == 8)
            return static_cast<std::uint32_t>(_mm256_movemask_pd(__builtin_bit_cast(__m256d, a)));
        else
            return signs_of<Bytes>(_mm256_castsi256_si128(a)) |
                   (signs_of<Bytes>(_mm256_extractf128_si256(a, 1)) << (16 / Bytes));
    }

    // Lanes of 4 and 8 bytes whatever their type, by floating-point instructions; the mask is in the top bits.
    template <class Vector>
    ASHLAR_ALWAYS_INLINE static Vector load_chosen(const std::int32_t* source, Vector keep) {
        const auto* from = reinterpret_cast<const float*>(source);
        if constexpr (sizeof(Vector) == 32)
            return __builtin_bit_cast(Vector, _mm256_maskload_ps(from, __builtin_bit_cast(__m256i, keep)));
        else
            return __builtin_bit_cast(Vector, _mm_maskload_ps(from, __builtin_bit_cast(__m128i, keep)));
    }
    template <class Vector>
    ASHLAR_ALWAYS_INLINE static Vector load_chosen(const std::int64_t* source, Vector keep) {
        const auto* from = reinterpret_cast<const double*>(source);
        if constexpr (sizeof(Vector) == 32)
            return __builtin_bit_cast(Vector, _mm256_maskload_pd(from, __builtin_bit_cast(__m256i, keep)));
        else
            return __builtin_bit_cast(Vector, _mm_maskload_pd(from, __builtin_bit_cast(__m128i, keep)));
    }
    template <class Vector>
    ASHLAR_ALWAYS_INLINE static void store_chosen(std::int32_t* target, Vector keep, Vector a) {
        auto* to = reinterpret_cast<float*>(target);
        if constexpr (sizeof(Vector) == 32)
            _mm256_maskstore_ps(to, __builtin_bit_cast(__m256i, keep), __builtin_bit_cast(__m256, a));
        else
            _mm_maskstore_ps(to, __builtin_bit_cast(__m128i, keep), __builtin_bit_cast(__m128, a));
    }
    template <class Vector>
    ASHLAR_ALWAYS_INLINE static void store_chosen(std::int64_t* target, Vector keep, Vector a) {
        auto* to = reinterpret_cast<double*>(target);
        if constexpr (sizeof(Vector) == 32)
            _mm256_maskstore_pd(to, __builtin_bit_cast(__m256i, keep), __builtin_bit_cast(__m256d, a));
        else
            _mm_maskstore_pd(to, __builtin_bit_cast(__m128i, keep), __builtin_bit_cast(__m128d, a));
    }
#endif

    /// The same of any vector.
    template <std::size_t Bytes, class Vector>
    ASHLAR_ALWAYS_INLINE static std::uint32_t signs(Vector a) {
#if defined(__AVX__)
        if constexpr (sizeof(Vector) == 32)
            return signs_of<Bytes>(__builtin_bit_cast(__m256i, a));
        else
#endif
            return signs_of<Bytes>(__builtin_bit_cast(__m128i, a));
    }

#if defined(__AVX2__)
    ASHLAR_ALWAYS_INLINE static __m256i lookup(const void* table, __m256i numbers) {
        return _mm256_permutevar8x32_epi32(_mm256_load_si256(static_cast<const __m256i*>(table)), numbers);
    }

    /// `sizeof(Vector) / Bytes` bytes of memory, no more, each as an integer of `Bytes`.
    template <class Vector, std::size_t Bytes>
    ASHLAR_ALWAYS_INLINE static Vector widen(const void* source) {
        constexpr std::size_t count = sizeof(Vector) / Bytes;
        if constexpr (Bytes == 1) {
            Vector result;
            __builtin_memcpy(&result, source, count);
            return result;
        } else {
            __m128i bytes{};
            __builtin_memcpy(&bytes, source, count);
            if constexpr (sizeof(Vector) == 32 && Bytes == 2)
                return __builtin_bit_cast(Vector, _mm256_cvtepi8_epi16(bytes));
            else if constexpr (sizeof(Vector) == 32 && Bytes == 4)
                return __builtin_bit_cast(Vector, _mm256_cvtepi8_epi32(bytes));
            else if constexpr (sizeof(Vector) == 32)
                return __builtin_bit_cast(Vector, _mm256_cvtepi8_epi64(bytes));
            else if constexpr (Bytes == 2)
                return __builtin_bit_cast(Vector, _mm_cvtepi8_epi16(bytes));
            else if constexpr (Bytes == 4)
                return __builtin_bit_cast(Vector, _mm_cvtepi8_epi32(bytes));
            else
                return __builtin_bit_cast(Vector, _mm_cvtepi8_epi64(bytes));
        }
    }
#endif

#if defined(__AVX__)
    ASHLAR_ALWAYS_INLINE static __m256d to_double(__m128 a) { return _mm256_cvtps_pd(a); }
#endif

#if defined(__FMA__)
    ASHLAR_ALWAYS_INLINE static __m128 fma(__m128 a, __m128 b, __m128 c) { return _mm_fmadd_ps(a, b, c); }
    ASHLAR_ALWAYS_INLINE static __m128d fma(__m128d a, __m128d b, __m128d c) { return _mm_fmadd_pd(a, b, c); }
    ASHLAR_ALWAYS_INLINE static __m256 fma(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
    ASHLAR_ALWAYS_INLINE static __m256d fma(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
#endif

#if defined(__AVX512F__)
    ASHLAR_ALWAYS_INLINE static __m512(min)(__m512 a, __m512 b) { return _mm512_min_ps(a, b); }
    ASHLAR_ALWAYS_INLINE static __m512(max)(__m512 a, __m512 b) { return _mm512_max_ps(a, b); }
    ASHLAR_ALWAYS_INLINE static __m512 sqrt(__m512 a) { return _mm512_sqrt_ps(a); }
    ASHLAR_ALWAYS_INLINE static __m512 nearest(__m512 a) { return _mm512_roundscale_ps(a, to_nearest); }
    ASHLAR_ALWAYS_INLINE static __m512 floor(__m512 a) { return _mm512_roundscale_ps(a, downwards); }
    ASHLAR_ALWAYS_INLINE static __m512 fma(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
    ASHLAR_ALWAYS_INLINE static __m512 fma(__mmask16 keep, __m512 a, __m512 b, __m512 c) {
        return _mm512_maskz_fmadd_ps(keep, a, b, c);
    }
    ASHLAR_ALWAYS_INLINE static __m512 scale(__m512 a, __m512 n) { return _mm512_scalef_ps(a, n); }
    ASHLAR_ALWAYS_INLINE static __m512 scale(__mmask16 keep, __m512 a, __m512 n) {
        return _mm512_maskz_scalef_ps(keep, a, n);
    }
    ASHLAR_ALWAYS_INLINE static __m512d(min)(__m512d a, __m512d b) { return _mm512_min_pd(a, b); }
    ASHLAR_ALWAYS_INLINE static __m512d(max)(__m512d a, __m512d b) { return _mm512_max_pd(a, b); }
    ASHLAR_ALWAYS_INLINE static __m512d sqrt(__m512d a) { return _mm512_sqrt_pd(a); }
    ASHLAR_ALWAYS_INLINE static __m512d nearest(__m512d a) { return _mm512_roundscale_pd(a, to_nearest); }
    ASHLAR_ALWAYS_INLINE static __m512d floor(__m512d a) { return _mm512_roundscale_pd(a, downwards); }
    ASHLAR_ALWAYS_INLINE static __m512d fma(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
    ASHLAR_ALWAYS_INLINE static __m512d scale(__m512d a, __m512d n) { return _mm512_scalef_pd(a, n); }
    ASHLAR_ALWAYS_INLINE static __m512d scale(__mmask8 keep, __m512d a, __m512d n) {
        return _mm512_maskz_scalef_pd(keep, a, n);
    }

    ASHLAR_ALWAYS_INLINE static __m512i lookup(const void* table, __m512i numbers) {
        const auto* halves = static_cast<const __m512i*>(table);
        return _mm512_permutex2var_epi32(_mm512_load_si512(halves), numbers, _mm512_load_si512(halves + 1));
    }

    /// max(a, 0), and NaN for minus infinity: a digit decides the result for each kind of number, the lowest one for
    /// NaN.
    ASHLAR_ALWAYS_INLINE static __m512 positive_part(__m512 a) {
        return _mm512_fixupimm_ps(a, a, _mm512_set1_epi32(0x18531822), 0);
    }

    ASHLAR_ALWAYS_INLINE static __m512d to_double(__m256 a) { return _mm512_cvtps_pd(a); }

    /// A mask register of the lanes of Element for which a relation between a and b holds.
    template <class Element, relation Relation, class Vector>
    ASHLAR_ALWAYS_INLINE static auto compare(Vector a, Vector b) {
        if constexpr (std::is_floating_point_v<Element>) {
            constexpr int how = Relation == relation::equal     ? _CMP_EQ_OQ
                                : Relation == relation::unequal ? _CMP_NEQ_UQ
                                : Relation == relation::less    ? _CMP_LT_OQ
                                                                : _CMP_LE_OQ;
            if constexpr (sizeof(Element) == 4)
                return _mm512_cmp_ps_mask(a, b, how);
            else
                return _mm512_cmp_pd_mask(a, b, how);
        } else {
            constexpr int how = Relation == relation::equal     ? 0
                                : Relation == relation::unequal ? 4
                                : Relation == relation::less    ? 1
                                                                : 2;
            constexpr bool is_signed = std::is_signed_v<Element>;
            if constexpr (sizeof(Element) == 4 && is_signed)
                return _mm512_cmp_epi32_mask(a, b, how);
            else if constexpr (sizeof(Element) == 4)
                return _mm512_cmp_epu32_mask(a, b, how);
            else if constexpr (sizeof(Element) == 8 && is_signed)
                return _mm512_cmp_epi64_mask(a, b, how);
            else if constexpr (sizeof(Element) == 8)
                return _mm512_cmp_epu64_mask(a, b, how);
#if defined(__AVX512BW__)
            else if constexpr (sizeof(Element) == 2 && is_signed)
                return _mm512_cmp_epi16_mask(a, b, how);
            else if constexpr (sizeof(Element) == 2)
                return _mm512_cmp_epu16_mask(a, b, how);
            else if constexpr (is_signed)
                return _mm512_cmp_epi8_mask(a, b, how);
            else
                return _mm512_cmp_epu8_mask(a, b, how);
#endif
        }
    }

    /// Lanes of Element from a if the mask is set, otherwise from b.
    template <class Element, class Mask, class Vector>
    ASHLAR_ALWAYS_INLINE static Vector select(Mask m, Vector a, Vector b) {
        if constexpr (std::is_same_v<Element, float>)
            return _mm512_mask_blend_ps(m, b, a);
        else if constexpr (std::is_same_v<Element, double>)
            return _mm512_mask_blend_pd(m, b, a);
        else if constexpr (sizeof(Element) == 4)
            return _mm512_mask_blend_epi32(m, b, a);
        else if constexpr (sizeof(Element) == 8)
            return _mm512_mask_blend_epi64(m, b, a);
#if defined(__AVX512BW__)
        else if constexpr (sizeof(Element) == 2)
            return _mm512_mask_blend_epi16(m, b, a);
        else
            return _mm512_mask_blend_epi8(m, b, a);
#endif
    }

    /// Masked loads and stores of lanes of Element: excluded lanes are not touched, and are zero when loaded.
    template <class Element, class Mask>
    ASHLAR_ALWAYS_INLINE static auto load_masked(const Element* source, Mask m) {
        if constexpr (std::is_same_v<Element, float>)
            return _mm512_maskz_loadu_ps(m, source);
        else if constexpr (std::is_same_v<Element, double>)
            return _mm512_maskz_loadu_pd(m, source);
        else if constexpr (sizeof(Element) == 4)
            return _mm512_maskz_loadu_epi32(m, source);
        else if constexpr (sizeof(Element) == 8)
            return _mm512_maskz_loadu_epi64(m, source);
#if defined(__AVX512BW__)
        else if constexpr (sizeof(Element) == 2)
            return _mm512_maskz_loadu_epi16(m, source);
        else
            return _mm512_maskz_loadu_epi8(m, source);
#endif
    }
    template <class Element, class Mask, class Vector>
    ASHLAR_ALWAYS_INLINE static void store_masked(Element* target, Mask m, Vector a) {
        if constexpr (std::is_same_v<Element, float>)
            _mm512_mask_storeu_ps(target, m, a);
        else if constexpr (std::is_same_v<Element, double>)
            _mm512_mask_storeu_pd(target, m, a);
        else if constexpr (sizeof(Element) == 4)
            _mm512_mask_storeu_epi32(target, m, a);
        else if constexpr (sizeof(Element) == 8)
            _mm512_mask_storeu_epi64(target, m, a);
#if defined(__AVX512BW__)
        else if constexpr (sizeof(Element) == 2)
            _mm512_mask_storeu_epi16(target, m, a);
        else
            _mm512_mask_storeu_epi8(target, m, a);
#endif
    }

    /// Bit i is bool i of Width.
    template <std::size_t Width>
    ASHLAR_ALWAYS_INLINE static std::uint64_t truths(const bool* source) {
#if defined(__AVX512BW__)
        if constexpr (Width == 64) {
            const __m512i values = _mm512_loadu_si512(source);
            return _mm512_test_epi8_mask(values, values);
        }
#endif
        std::uint64_t bits = 0;
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < Width; i += 16) {
            __m128i values{};
            __builtin_memcpy(&values, source + i, Width < 16 ? Width : 16);
            // The truth is the lowest bit of a byte; instructions collect the sign.
            bits |= std::uint64_t{signs_of<1>(_mm_slli_epi16(values, 7))} << i;
        }
        return bits;
    }
#endif
};

}  // namespace ashlar::detail

#endif
