// SPDX-License-Identifier: BSL-1.0
// Products of four bytes by four numbers from 0 to 15, added up over a group of 32: exact, so that all ways give the
// same sums.
//
// Dispatch, decided by the types, for W lanes of four bytes of the left operand that are the same for all lanes:
//   1. VNNI of AVX-512 and AVX: vpdpbusd, whose unsigned bytes are the numbers
//   2. AVX-512BW, AVX2, SSSE3: vpmaddubsw, added up in 16 bits: 16 products of 127 by 15 fit
//   3. all else: byte_dots, for which numbers from 0 to 15 are signed bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/core/int4.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/byte_dots.hpp>

namespace ashlar::inline v0_1::detail {

template <std::size_t Width, class Config>
struct nibble_dots {
    using dots = byte_dots<Width, Config>;
    using sums = lanes<std::int32_t, Width, Config>;
    using right = typename dots::right;
    static constexpr byte_way way = dots::way;
    static constexpr bool in_registers = way != byte_way::elements;

    struct vectors {
        typedef std::uint8_t bytes __attribute__((vector_size(way == byte_way::elements ? 4 : Width * 4)));
        typedef std::uint16_t words __attribute__((vector_size(way == byte_way::elements ? 4 : Width * 4)));
    };
    using bytes = typename vectors::bytes;
    using words = typename vectors::words;

    /// Four depth steps of each column, and the next four.
    struct pair {
        right low, high;
    };
    /// The bytes of Count columns: panels are PanelBytes apart.
    template <std::size_t PanelBytes, std::size_t Count>
    ASHLAR_ALWAYS_INLINE static pair load(const std::uint8_t* from) {
        constexpr std::size_t panel = int4_layout::panel, quad = int4_block::quad;
        pair both;
        if constexpr (in_registers) {
            bytes all;
            __builtin_memcpy(&all, from, sizeof all);
            both.low = __builtin_bit_cast(right, all & std::uint8_t{15});
            // 16 bits at once, because there is no shift of bytes.
            const words halves = __builtin_bit_cast(words, all) >> std::uint16_t{4};
            both.high = __builtin_bit_cast(right, __builtin_bit_cast(bytes, halves) & std::uint8_t{15});
        } else {
            both = pair{};
            for (std::size_t l = 0; l < Count; ++l)
                for (std::size_t i = 0; i < quad; ++i) {
                    const std::uint8_t byte = from[l / panel * PanelBytes + l % panel * quad + i];
                    both.low.values[l][i] = static_cast<std::int8_t>(byte & 15);
                    both.high.values[l][i] = static_cast<std::int8_t>(byte >> 4);
                }
        }
        return both;
    }
    /// Pairs that one call of `add` takes.
    static constexpr std::size_t pairs = 1;
    /// The left bytes of a pair.
    struct left {
        typename dots::left low, high;
    };
    ASHLAR_ALWAYS_INLINE static left spread(const std::uint8_t* from) {
        return {dots::spread(from), dots::spread(from + int4_block::quad)};
    }

    /// Sums of a part of a group: in 32 bits, or pairs of them in 16.
    struct partial {
        sums value{0};
    };
    ASHLAR_ALWAYS_INLINE static partial add(partial to, const left& x, const pair& w) {
        return add(add(to, x.low, w.low), x.high, w.high);
    }
    /// The sums of a whole group.
    ASHLAR_ALWAYS_INLINE static sums finish(partial of) {
        if constexpr (way == byte_way::signs) {
            using ops = typename sums::ops;
            using vector = typename ops::vector;
            return sums(ops::from_raw(__builtin_bit_cast(vector, joined(ops::raw(of.value.data)))));
        } else {
            return of.value;
        }
    }

private:
    ASHLAR_ALWAYS_INLINE static partial add(partial to, typename dots::left x, const right& w) {
        if constexpr (way == byte_way::unsigned_dot || way == byte_way::signs) {
            using ops = typename sums::ops;
            using vector = typename ops::vector;
            std::int32_t quad;
            __builtin_memcpy(&quad, x.bytes, sizeof quad);
            return {sums(ops::from_raw(__builtin_bit_cast(vector, added(ops::raw(to.value.data), quad, w))))};
        } else {
            return {dots::add(to.value, x, w)};
        }
    }
#if defined(ASHLAR_HAS_REGISTERS) && defined(__SSSE3__)
    template <class Sums>
    ASHLAR_ALWAYS_INLINE static auto added(Sums sum, std::int32_t quad, const right& w) {
        if constexpr (Width == 16) {
#if defined(__AVX512F__)
            const auto to = __builtin_bit_cast(__m512i, sum), by = __builtin_bit_cast(__m512i, w);
            const __m512i x = _mm512_set1_epi32(quad);
#if defined(__AVX512VNNI__)
#if defined(__clang__)
            return _mm512_dpbusd_epi32(to, by, x);
#else
            // g++ 12 treats sums that stay in one register as copies, and spills them.
            __m512i next = to;
            __asm__("vpdpbusd\t{%2, %1, %0|%0, %1, %2}" : "+v"(next) : "v"(by), "v"(x));
            return next;
#endif
#elif defined(__AVX512BW__)
            return _mm512_add_epi16(to, _mm512_maddubs_epi16(by, x));
#endif
#endif
        } else if constexpr (Width == 8) {
#if defined(__AVX2__)
            const auto to = __builtin_bit_cast(__m256i, sum), by = __builtin_bit_cast(__m256i, w);
            const __m256i x = _mm256_set1_epi32(quad);
#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
            return _mm256_dpbusd_epi32(to, by, x);
#elif defined(__AVXVNNI__)
            return _mm256_dpbusd_avx_epi32(to, by, x);
#else
            return _mm256_add_epi16(to, _mm256_maddubs_epi16(by, x));
#endif
#endif
        } else {
            const auto to = __builtin_bit_cast(__m128i, sum), by = __builtin_bit_cast(__m128i, w);
            const __m128i x = _mm_set1_epi32(quad);
#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
            return _mm_dpbusd_epi32(to, by, x);
#elif defined(__AVXVNNI__)
            return _mm_dpbusd_avx_epi32(to, by, x);
#else
            return _mm_add_epi16(to, _mm_maddubs_epi16(by, x));
#endif
        }
    }
    /// Sums of neighbours in 16 bits.
    template <class Sums>
    ASHLAR_ALWAYS_INLINE static auto joined(Sums sum) {
        if constexpr (Width == 16) {
#if defined(__AVX512BW__)
            return _mm512_madd_epi16(__builtin_bit_cast(__m512i, sum), _mm512_set1_epi16(1));
#endif
        } else if constexpr (Width == 8) {
#if defined(__AVX2__)
            return _mm256_madd_epi16(__builtin_bit_cast(__m256i, sum), _mm256_set1_epi16(1));
#endif
        } else {
            return _mm_madd_epi16(__builtin_bit_cast(__m128i, sum), _mm_set1_epi16(1));
        }
    }
#endif
};

}  // namespace ashlar::detail
