// SPDX-License-Identifier: BSL-1.0
// Groups of narrow elements in the lanes of wider ones: one multiply-add takes all of a group, and adds to one sum.
//
// A lane of the left factor is some neighbouring elements of a row, a lane of the right one those of as many rows in
// one column. Of bf16 they are two, and a lane is as wide as a float.
//
// Dispatch, decided by the types, for W lanes of float:
//   1. AVX-512 with BF16 and 16 lanes: vdpbf16ps; one permutation after their loads interleaves the rows
//   2. aarch64 with BF16 and 4 lanes: bfdot; two rows are interleaved by one zip
//   3. all else: the halves of lanes as floats, one multiply-add for each
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/core/narrow_float.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

/// The elements of `Stored` that fill a lane of `Lanes`, and their operations.
template <class Stored, class Lanes>
struct element_groups;

template <std::size_t Width, class Config>
struct element_groups<bf16, lanes<float, Width, Config>> {
    using vec = lanes<float, Width, Config>;
    static constexpr std::size_t group = 2;
    /// A left pair from its bits in a float: in all lanes, or once if the instruction broadcasts it.
    using left = std::conditional_t<Width == 4 && multiplies_pairs<Width, Config>, float, vec>;

    /// The first Columns elements of one row, or of two rows this far apart, column by column. Zeros replace a missing
    /// second row and follow the columns.
    template <std::size_t Columns, std::size_t Rows>
    ASHLAR_ALWAYS_INLINE static vec load(const bf16* rows, std::size_t distance) {
        static_assert(Rows == 1 || Rows == 2);
        if constexpr (multiplies_pairs<Width, Config>) {
            return by_instructions<Columns, Rows>(rows, distance);
        } else {
            // A bf16 is the upper half of a float.
            const auto first = bit_cast_lanes<std::int32_t>(vec::template load_partial<Columns>(rows));
            const auto lower = first >> 16 & 0xFFFF;
            if constexpr (Rows == 1)
                return bit_cast_lanes<float>(lower);
            else
                return bit_cast_lanes<float>(
                    lower | bit_cast_lanes<std::int32_t>(vec::template load_partial<Columns>(rows + distance)));
        }
    }

    /// sum + the products of the groups, the second ones first, each added in float. bfdot adds the two products first
    /// and rounds both sums to odd. The instructions treat denormal inputs as zeros and flush denormal sums to zero.
    ASHLAR_ALWAYS_INLINE static vec multiply_add(left a, vec b, vec sum) {
        if constexpr (multiplies_pairs<Width, Config>)
            return by_instruction(a, b, sum);
        else
            return fma(lower(a), lower(b), fma(upper(a), upper(b), sum));
    }

private:
    ASHLAR_ALWAYS_INLINE static vec upper(vec a) {
        return bit_cast_lanes<float>(bit_cast_lanes<std::int32_t>(a) & -65536);
    }
    ASHLAR_ALWAYS_INLINE static vec lower(vec a) {
        return bit_cast_lanes<float>(bit_cast_lanes<std::int32_t>(a) << 16);
    }

    template <std::size_t Columns, std::size_t Rows>
    ASHLAR_ALWAYS_INLINE static vec by_instructions([[maybe_unused]] const bf16* rows,
                                                    [[maybe_unused]] std::size_t distance) {
#if defined(ASHLAR_HAS_REGISTERS) && defined(__AVX512BF16__) && defined(__AVX512BW__) && defined(__AVX512VL__)
        typedef std::uint16_t indices __attribute__((vector_size(64)));
        constexpr indices columns{0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                                  8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
        __m512i both;
        if constexpr (Rows == 1) {
            both = _mm512_cvtepu16_epi32(row<Columns>(rows));
        } else if (Columns == 16 && distance == 16) {
            both = _mm512_permutexvar_epi16(__builtin_bit_cast(__m512i, columns), _mm512_loadu_si512(rows));
        } else {
            both = _mm512_inserti64x4(_mm512_castsi256_si512(row<Columns>(rows)), row<Columns>(rows + distance), 1);
            both = _mm512_permutexvar_epi16(__builtin_bit_cast(__m512i, columns), both);
        }
        return vec(vec::ops::from_raw(__builtin_bit_cast(typename vec::ops::vector, both)));
#elif defined(ASHLAR_HAS_REGISTERS) && defined(__aarch64__)
        uint16x8_t second = vdupq_n_u16(0);
        if constexpr (Rows == 2) second = row<Columns>(rows + distance);
        const uint16x8_t both = vzip1q_u16(row<Columns>(rows), second);
        return vec(vec::ops::from_raw(__builtin_bit_cast(typename vec::ops::vector, both)));
#else
        return vec{};
#endif
    }
    ASHLAR_ALWAYS_INLINE static vec by_instruction([[maybe_unused]] left a, [[maybe_unused]] vec b, vec sum) {
#if defined(ASHLAR_HAS_REGISTERS) && defined(__AVX512BF16__)
        const __m512 next = _mm512_dpbf16_ps(__builtin_bit_cast(__m512, vec::ops::raw(sum.data)),
                                             __builtin_bit_cast(__m512bh, vec::ops::raw(b.data)),
                                             __builtin_bit_cast(__m512bh, vec::ops::raw(a.data)));
        return vec(vec::ops::from_raw(__builtin_bit_cast(typename vec::ops::vector, next)));
#elif defined(ASHLAR_HAS_REGISTERS) && defined(__aarch64__) && defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
        auto next = __builtin_bit_cast(float32x4_t, vec::ops::raw(sum.data));
        // With the intrinsic, clang 19 broadcasts the left pair into a register of its own first.
        __asm__("bfdot\t%0.4s, %1.8h, %2.2h[0]"
                : "+w"(next)
                : "w"(__builtin_bit_cast(float32x4_t, vec::ops::raw(b.data))), "w"(a));
        return vec(vec::ops::from_raw(__builtin_bit_cast(typename vec::ops::vector, next)));
#else
        return sum;
#endif
    }
#if defined(ASHLAR_HAS_REGISTERS) && defined(__AVX512BW__) && defined(__AVX512VL__)
    template <std::size_t Columns>
    ASHLAR_ALWAYS_INLINE static __m256i row(const bf16* elements) {
        if constexpr (Columns == 16)
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(elements));
        else
            return _mm256_maskz_loadu_epi16((std::uint32_t{1} << Columns) - 1u, elements);
    }
#elif defined(ASHLAR_HAS_REGISTERS) && defined(__aarch64__)
    template <std::size_t Columns>
    ASHLAR_ALWAYS_INLINE static uint16x8_t row(const bf16* elements) {
        std::uint64_t bits = 0;
        __builtin_memcpy(&bits, elements, Columns * sizeof(bf16));
        return vcombine_u16(vcreate_u16(bits), vdup_n_u16(0));
    }
#endif
};

}  // namespace ashlar::detail
