// SPDX-License-Identifier: BSL-1.0
// Products of bytes by Arm's M-profile vector extension: VMLADAVA adds 16 products of a row and a column to a sum in a
// core register. A gather brings 16 entries of a column of a panel together. Included by byte_dots.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/core/int4.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/byte_dots.hpp>

#if defined(ASHLAR_HAS_MVE)

namespace ashlar::inline v0_1::detail {

/// Four columns.
template <class Config>
    requires(has<Config, isa::mve>)
struct byte_dots<4, Config> {
    static constexpr byte_way way = byte_way::across;
    static constexpr bool is_offset = false, starts_at_negatives = false, widens = false;
    static constexpr std::size_t groups = 4;

    struct sums {
        std::int32_t of[4];

        sums() = default;
        ASHLAR_ALWAYS_INLINE explicit sums(std::int32_t start) : of{start, start, start, start} {}
        ASHLAR_ALWAYS_INLINE explicit operator lanes<std::int32_t, 4, Config>() const {
            return lanes<std::int32_t, 4, Config>::load(of);
        }
    };
    struct right {
        int8x16_t columns[4];
    };
    using left = int8x16_t;

    /// The addresses of four words, Stride bytes apart.
    template <std::uint32_t Stride>
    ASHLAR_ALWAYS_INLINE static uint32x4_t words(const void* from) {
        constexpr uint32x4_t offsets{0, Stride, 2 * Stride, 3 * Stride};
        return vaddq_n_u32(offsets, reinterpret_cast<std::uintptr_t>(from));
    }
    /// Four groups of each column, or the first Groups ones and zeros.
    template <std::size_t Panel, std::size_t, std::size_t, std::size_t Groups = groups>
    ASHLAR_ALWAYS_INLINE static right load(const void* from) {
        constexpr std::size_t stride = Panel * 4;
        const auto& memory = *reinterpret_cast<const char(*)[(Groups - 1) * stride + sizeof(right::columns) / 4]>(from);
        right w;
        auto& [a, b, c, d] = w.columns;
        if constexpr (Groups == groups)
            __asm__("vldrw.u32 %q0, [%q4]\n\tvldrw.u32 %q1, [%q4, #4]\n\t"
                    "vldrw.u32 %q2, [%q4, #8]\n\tvldrw.u32 %q3, [%q4, #12]"
                    : "=&w"(a), "=&w"(b), "=&w"(c), "=&w"(d)
                    : "w"(words<stride>(from)), "m"(memory));
        else
            __asm__("vctp.32 %5\n\tvpstttt\n\tvldrwt.u32 %q0, [%q4]\n\tvldrwt.u32 %q1, [%q4, #4]\n\t"
                    "vldrwt.u32 %q2, [%q4, #8]\n\tvldrwt.u32 %q3, [%q4, #12]"
                    : "=&w"(a), "=&w"(b), "=&w"(c), "=&w"(d)
                    : "w"(words<stride>(from)), "r"(Groups), "m"(memory)
                    : "p0");
        return w;
    }
    ASHLAR_ALWAYS_INLINE static left spread(const std::uint8_t* from) {
        left bytes;
        __builtin_memcpy(&bytes, __builtin_assume_aligned(from, 4), sizeof bytes);
        return bytes;
    }
    ASHLAR_ALWAYS_INLINE static sums add(sums to, left x, const right& w) {
        to.of[0] = vmladavaq(to.of[0], x, w.columns[0]);
        to.of[1] = vmladavaq(to.of[1], x, w.columns[1]);
        to.of[2] = vmladavaq(to.of[2], x, w.columns[2]);
        to.of[3] = vmladavaq(to.of[3], x, w.columns[3]);
        return to;
    }

    /// Adds the products of two rows, `Distance` bytes apart, for `steps` times four groups. A loop by name, because
    /// the eight sums take all core registers that VMLADAVA can use: compilers count in one of them, and move sums
    /// about.
    template <std::size_t Panel, std::size_t Distance>
    ASHLAR_ALWAYS_INLINE static void add_two_rows(sums& one, sums& two, const std::uint8_t* left, const void* right,
                                                  std::size_t steps) {
        constexpr std::size_t stride = Panel * 4, all = groups * stride;
        static_assert(all < 512);
        const std::uint8_t* below = left + Distance;
        uint32x4_t from = vsubq_n_u32(words<stride>(right), all);
        // Variables of their own: as parts of arrays they would pass through memory.
        std::int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;
        int8x16_t a, b, c, x, y;
        __asm__ volatile(
            "0:\n\tvldrw.u32 %q[a], [%q[from], %[all]]!\n\tvldrw.u32 %q[x], [%[left]], #16\n\t"
            "vldrw.u32 %q[y], [%[below]], #16\n\tvldrw.u32 %q[b], [%q[from], #4]\n\t"
            "vldrw.u32 %q[c], [%q[from], #8]\n\t"
            "vmladava.s8 %[s0], %q[x], %q[a]\n\tvmladava.s8 %[t0], %q[y], %q[a]\n\t"
            "vldrw.u32 %q[a], [%q[from], #12]\n\t"
            "vmladava.s8 %[s1], %q[x], %q[b]\n\tvmladava.s8 %[t1], %q[y], %q[b]\n\t"
            "vmladava.s8 %[s2], %q[x], %q[c]\n\tvmladava.s8 %[t2], %q[y], %q[c]\n\t"
            "vmladava.s8 %[s3], %q[x], %q[a]\n\tvmladava.s8 %[t3], %q[y], %q[a]\n\t"
            "subs %[steps], #1\n\tbne 0b"
            : [s0] "+Te"(s0), [s1] "+Te"(s1), [s2] "+Te"(s2), [s3] "+Te"(s3), [t0] "+Te"(t0), [t1] "+Te"(t1),
              [t2] "+Te"(t2), [t3] "+Te"(t3), [left] "+r"(left), [below] "+r"(below), [steps] "+r"(steps),
              [from] "+w"(from), [a] "=&w"(a), [b] "=&w"(b), [c] "=&w"(c), [x] "=&w"(x), [y] "=&w"(y)
            : [all] "i"(all)
            : "cc", "memory");
        one.of[0] = s0, one.of[1] = s1, one.of[2] = s2, one.of[3] = s3;
        two.of[0] = t0, two.of[1] = t1, two.of[2] = t2, two.of[3] = t3;
    }
};

template <std::size_t Width, class Config>
struct nibble_dots;

/// A group of four columns at once.
template <class Config>
    requires(has<Config, isa::mve>)
struct nibble_dots<4, Config> {
    using dots = byte_dots<4, Config>;
    using sums = lanes<std::int32_t, 4, Config>;
    using pair = typename dots::right;
    static constexpr std::size_t pairs = 4;

    struct left {
        int8x16_t low, high;
    };
    struct partial {
        typename dots::sums value{0};
    };
    template <std::size_t, std::size_t Count>
    ASHLAR_ALWAYS_INLINE static pair load(const std::uint8_t* from) {
        return dots::template load<int4_layout::panel, 0, Count>(from);
    }
    ASHLAR_ALWAYS_INLINE static left spread(const std::uint8_t* from) {
        left x;
        __asm__("vldrw.u32 %q0, [%q2]\n\tvldrw.u32 %q1, [%q2, #4]"
                : "=&w"(x.low), "=&w"(x.high)
                : "w"(dots::template words<8>(from)), "m"(*reinterpret_cast<const char(*)[int4_group]>(from)));
        return x;
    }
    ASHLAR_ALWAYS_INLINE static partial add(partial to, const left& x, const pair& w) {
        ASHLAR_UNROLL
        for (std::size_t c = 0; c < 4; ++c) {
            const auto both = vreinterpretq_u8_s8(w.columns[c]);
            to.value.of[c] = vmladavaq(to.value.of[c], x.low, vreinterpretq_s8_u8(vandq(both, vdupq_n_u8(15))));
            to.value.of[c] = vmladavaq(to.value.of[c], x.high, vreinterpretq_s8_u8(vshrq(both, 4)));
        }
        return to;
    }
    ASHLAR_ALWAYS_INLINE static sums finish(partial of) { return sums(of.value); }
};

}  // namespace ashlar::detail

#endif
