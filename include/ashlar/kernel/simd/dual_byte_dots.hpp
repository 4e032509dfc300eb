// SPDX-License-Identifier: BSL-1.0
// Products of bytes by 32-bit Arm's dual multiply-adds, which add two products of 16 bits to a sum: SMLAD of Cortex-M4,
// M7 and M33. Two columns or rows share what widens bytes. Included by byte_dots.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/byte_dots.hpp>

#if defined(__ARM_FEATURE_SIMD32) && !defined(__ARM_BIG_ENDIAN)

namespace ashlar::inline v0_1::detail {

/// One column. Bytes 0 and 2 of a word are the halves of another one, bytes 1 and 3 those of a third.
template <class Config>
    requires(Config::register_bits == 0 && has<Config, isa::simd32>)
struct byte_dots<1, Config> {
    static constexpr byte_way way = byte_way::dual;
    static constexpr bool is_offset = false, starts_at_negatives = false, widens = true;
    static constexpr std::size_t groups = 1;
    using sums = lanes<std::int32_t, 1, Config>;

    struct right {
        std::uint32_t bytes;
    };
    struct left {
        std::uint32_t even, odd;
    };

    template <std::size_t, std::size_t, std::size_t, std::size_t = groups>
    ASHLAR_ALWAYS_INLINE static right load(const std::int8_t* from) {
        return {word_at(from)};
    }
    ASHLAR_ALWAYS_INLINE static left spread(const std::uint8_t* from) {
        const std::uint32_t bytes = word_at(from);
        return {even_of(bytes), odd_of(bytes)};
    }
    /// A row's words. For one of several rows they share an instruction: compilers split other loads of two words.
    template <bool Together>
    ASHLAR_ALWAYS_INLINE static left spread_widened(const std::uint8_t* from) {
        if constexpr (!Together) return {word_at(from), word_at(from + 4)};
        using words [[gnu::may_alias]] = std::uint64_t;
        const words both = *reinterpret_cast<const volatile words*>(from);
        return {static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32)};
    }
    /// Writes byte i of four to their widened place.
    ASHLAR_ALWAYS_INLINE static void put_widened(std::uint8_t* to, std::size_t i, std::int32_t byte) {
        const auto half = static_cast<std::int16_t>(byte);
        __builtin_memcpy(to + (i % 2 * 2 + i / 2) * sizeof half, &half, sizeof half);
    }
    /// Widens the first Count bytes of a line in place: from the last word on, because words double.
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static void widen(std::uint8_t* line) {
        static_assert(Count % 4 == 0);
        for (std::size_t k = Count; k != 0; k -= 4) {
            const left wide = spread(line + k - 4);
            __builtin_memcpy(line + 2 * k - 8, &wide, sizeof wide);
        }
    }

    ASHLAR_ALWAYS_INLINE static sums add(sums to, left x, right w) {
        return sums(plus(plus(to[0], x.even, even_of(w.bytes)), x.odd, odd_of(w.bytes)));
    }

private:
    ASHLAR_ALWAYS_INLINE static std::uint32_t word_at(const void* from) {
        std::uint32_t word;
        __builtin_memcpy(&word, __builtin_assume_aligned(from, 4), sizeof word);
        return word;
    }
    // Instructions by name: compilers do not join the rotation to the intrinsic. Volatile ones keep
    // their order: moved about, they would need more registers than there are.
    ASHLAR_ALWAYS_INLINE static std::uint32_t even_of(std::uint32_t bytes) {
        std::uint32_t halves;
        __asm__("sxtb16 %0, %1" : "=r"(halves) : "r"(bytes));
        return halves;
    }
    ASHLAR_ALWAYS_INLINE static std::uint32_t odd_of(std::uint32_t bytes) {
        std::uint32_t halves;
        __asm__("sxtb16 %0, %1, ror #8" : "=r"(halves) : "r"(bytes));
        return halves;
    }
    ASHLAR_ALWAYS_INLINE static std::int32_t plus(std::int32_t to, std::uint32_t x, std::uint32_t w) {
        __asm__ volatile("smlad %0, %1, %2, %0" : "+r"(to) : "r"(x), "r"(w));
        return to;
    }
};

}  // namespace ashlar::detail

#endif
