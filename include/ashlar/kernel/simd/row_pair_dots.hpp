// SPDX-License-Identifier: BSL-1.0
// Products of bytes by AArch64's I8MM: SMMLA multiplies two rows by two columns over eight depth steps and adds to four
// sums, twice the multiply-adds of SDOT. The sums are exact, so the bits are those of byte_dots.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/machine.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

/// As byte_dots, for two rows at once: for machines that have `pairs_byte_rows`.
template <class Config>
struct row_pair_dots;

#if defined(ASHLAR_HAS_REGISTERS) && defined(__aarch64__) && defined(__ARM_FEATURE_MATMUL_INT8)

/// Four columns. The two rows lie side by side in memory, eight bytes of each. A single last row is taken twice.
template <class Config>
    requires(machine_of<Config>.pairs_byte_rows)
struct row_pair_dots<Config> {
    static constexpr bool is_offset = false, starts_at_negatives = false, widens = false;
    static constexpr std::size_t groups = 2, rows = 2;
    using lanes_of_row = lanes<std::int32_t, 4, Config>;

    /// Columns 0 and 1 of the first row and of the second, then columns 2 and 3.
    struct sums {
        int32x4_t low, high;

        sums() = default;
        ASHLAR_ALWAYS_INLINE explicit sums(std::int32_t start) : low(vdupq_n_s32(start)), high(low) {}
        ASHLAR_ALWAYS_INLINE sums(int32x4_t of_low, int32x4_t of_high) : low(of_low), high(of_high) {}
        ASHLAR_ALWAYS_INLINE sums operator+(const sums& other) const {
            return {vaddq_s32(low, other.low), vaddq_s32(high, other.high)};
        }
    };
    /// Eight depth steps of each column.
    struct right {
        int8x16_t low, high;
    };
    using left = int8x16_t;

    template <std::size_t Panel, std::size_t, std::size_t, std::size_t Groups = groups>
    ASHLAR_ALWAYS_INLINE static right load(const std::int8_t* from) {
        const int32x4_t first = words_at(from);
        const int32x4_t second = Groups == groups ? words_at(from + Panel * 4) : vdupq_n_s32(0);
        return {vreinterpretq_s8_s32(vzip1q_s32(first, second)), vreinterpretq_s8_s32(vzip2q_s32(first, second))};
    }
    template <std::size_t Rows>
    ASHLAR_ALWAYS_INLINE static left spread(const std::uint8_t* from) {
        const auto* const bytes = reinterpret_cast<const std::int8_t*>(from);
        if constexpr (Rows == 1)
            return vreinterpretq_s8_s64(vdupq_n_s64(vget_lane_s64(vreinterpret_s64_s8(vld1_s8(bytes)), 0)));
        else
            return vld1q_s8(bytes);
    }
    ASHLAR_ALWAYS_INLINE static sums add(sums to, left x, const right& w) {
        return {added(to.low, x, w.low), added(to.high, x, w.high)};
    }
    /// The sums of row Row of the two.
    template <std::size_t Row>
    ASHLAR_ALWAYS_INLINE static lanes_of_row row_of(const sums& of) {
        using ops = typename lanes_of_row::ops;
        const int64x2_t low = vreinterpretq_s64_s32(of.low), high = vreinterpretq_s64_s32(of.high);
        const int64x2_t row = Row == 0 ? vzip1q_s64(low, high) : vzip2q_s64(low, high);
        return lanes_of_row(ops::from_raw(__builtin_bit_cast(typename ops::vector, row)));
    }

private:
    ASHLAR_ALWAYS_INLINE static int32x4_t words_at(const std::int8_t* from) {
        return vreinterpretq_s32_s8(vld1q_s8(from));
    }
    ASHLAR_ALWAYS_INLINE static int32x4_t added(int32x4_t to, int8x16_t x, int8x16_t w) {
#if defined(__clang__)
        return vmmlaq_s32(to, x, w);
#else
        // g++ 12 copies sums that stay in one register.
        __asm__("smmla %0.4s, %1.16b, %2.16b" : "+w"(to) : "w"(x), "w"(w));
        return to;
#endif
    }
};

#endif

}  // namespace ashlar::detail
