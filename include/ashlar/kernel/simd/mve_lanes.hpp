// SPDX-License-Identifier: BSL-1.0
// Lanes of four floats or integers in the registers of Arm's M-profile vector extension (Helium), which xsimd does not
// support. Operations without an instruction use an array. Included by kernel/simd.hpp. No intrinsic here reads or
// writes memory: g++ 12 treats those of floats as accesses to four bytes, whatever the lanes and offsets, and moves
// stores and loads of the other bytes across them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/lanes.hpp>

#if defined(ASHLAR_HAS_MVE)

namespace ashlar::inline v0_1::detail {

template <class Element>
using mve_register = std::conditional_t<std::is_floating_point_v<Element>, float32x4_t,
                                        std::conditional_t<std::is_signed_v<Element>, int32x4_t, uint32x4_t>>;

/// The same for any address of an element, and memory of any type.
template <class Element>
using mve_memory [[gnu::may_alias, gnu::aligned(4)]] = mve_register<Element>;

template <class Element, std::size_t Width, class Config>
    requires(in_register<Element, Width, Config>())
struct lane_ops<Element, Width, Config> {
    static_assert(Width == 4 && sizeof(Element) == 4);
    static_assert(Config::instruction_sets == detail::instruction_sets(),
                  "ashlar: lanes: Config names instruction sets this file is not compiled for");
    using arrays = array_lane_ops<Element, Width, Config>;
    using array = typename arrays::storage;
    using native = mve_register<Element>;
    using vector = native;
    struct storage {
        native data;
    };
    ASHLAR_ALWAYS_INLINE static vector raw(storage a) { return a.data; }
    ASHLAR_ALWAYS_INLINE static storage from_raw(vector a) { return {a}; }
    struct mask {
        mve_pred16_t data;  // four bits for each lane
    };
    static constexpr bool floating = std::is_floating_point_v<Element>;
    static constexpr bool is_unsigned = !floating && !std::is_signed_v<Element>;
    static constexpr bool scales = false;
    // long is not int32_t for the compiler, although it has the same size.
    using element = std::conditional_t<floating, float, std::conditional_t<is_unsigned, std::uint32_t, std::int32_t>>;

    ASHLAR_ALWAYS_INLINE static array spread(storage a) { return __builtin_bit_cast(array, a.data); }
    ASHLAR_ALWAYS_INLINE static storage gathered(array a) { return {__builtin_bit_cast(native, a)}; }
    ASHLAR_ALWAYS_INLINE static storage broadcast(Element value) {
        if constexpr (floating)
            return {vdupq_n_f32(value)};
        else if constexpr (is_unsigned)
            return {vdupq_n_u32(value)};
        else
            return {vdupq_n_s32(value)};
    }
    ASHLAR_ALWAYS_INLINE static storage load(const Element* source) {
        return {*reinterpret_cast<const mve_memory<Element>*>(source)};
    }
    ASHLAR_ALWAYS_INLINE static void store(storage a, Element* target) {
        *reinterpret_cast<mve_memory<Element>*>(target) = a.data;
    }
    ASHLAR_ALWAYS_INLINE static storage load_partial(const Element* source, std::size_t count) {
#ifdef __clang__
        return {vld1q_z(reinterpret_cast<const element*>(source), vctp32q(count))};
#else
        native out;
        __asm__("vctp.32 %2\n\tvpst\n\tvldrwt.u32 %q0, [%1]"
                : "=w"(out)
                : "r"(source), "r"(count), "m"(*reinterpret_cast<const Element(*)[Width]>(source))
                : "p0");
        return {out};
#endif
    }
    ASHLAR_ALWAYS_INLINE static void store_partial(storage a, Element* target, std::size_t count) {
        arrays::store_partial(spread(a), target, count);
    }
    ASHLAR_ALWAYS_INLINE static storage gather_strided(const Element* source, std::ptrdiff_t stride) {
        const uint32x4_t offsets = vmulq_n_u32(counted(), static_cast<std::uint32_t>(stride));
        const Element* const first = stride < 0 ? source + 3 * stride : source;
        native out;
        __asm__("vldrw.u32 %q0, [%1, %q2, uxtw #2]"
                : "=&w"(out)
                : "r"(source), "w"(offsets), "m"(*reinterpret_cast<const Element(*)[]>(first)));
        return {out};
    }
    /// 0, 1, 2, 3. g++ 12 knows that vidupq_n_u32 leaves 4 in a register, uses that register for other 4s, and at -O1
    /// drops the instruction when it moves another one with the same lanes out of a loop.
    ASHLAR_ALWAYS_INLINE static uint32x4_t counted() {
        uint32x4_t numbers;
        std::uint32_t next = 0;
        __asm__("vidup.u32 %q0, %1, #1" : "=w"(numbers), "+Te"(next));
        return numbers;
    }
    ASHLAR_ALWAYS_INLINE static storage iota() { return gathered(arrays::iota()); }
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static storage repeat_first(storage a) {
        return {vpselq(a.data, broadcast(get(a, 0)).data, vctp32q(Count))};
    }
    ASHLAR_ALWAYS_INLINE static Element get(storage a, std::size_t i) { return spread(a).values[i]; }
    ASHLAR_ALWAYS_INLINE static storage insert(storage a, std::size_t i, Element value) {
        return gathered(arrays::insert(spread(a), i, value));
    }

    ASHLAR_ALWAYS_INLINE static storage add(storage a, storage b) { return {vaddq(a.data, b.data)}; }
    ASHLAR_ALWAYS_INLINE static storage sub(storage a, storage b) { return {vsubq(a.data, b.data)}; }
    ASHLAR_ALWAYS_INLINE static storage mul(storage a, storage b) { return {vmulq(a.data, b.data)}; }
    ASHLAR_ALWAYS_INLINE static storage div(storage a, storage b) {
        return gathered(arrays::div(spread(a), spread(b)));
    }
    ASHLAR_ALWAYS_INLINE static storage rem(storage a, storage b) {
        return gathered(arrays::rem(spread(a), spread(b)));
    }
    ASHLAR_ALWAYS_INLINE static storage neg(storage a) {
        if constexpr (is_unsigned)
            return sub(broadcast(0), a);
        else
            return {vnegq(a.data)};
    }
    ASHLAR_ALWAYS_INLINE static storage bit_and(storage a, storage b) { return {vandq(a.data, b.data)}; }
    ASHLAR_ALWAYS_INLINE static storage bit_or(storage a, storage b) { return {vorrq(a.data, b.data)}; }
    ASHLAR_ALWAYS_INLINE static storage bit_xor(storage a, storage b) { return {veorq(a.data, b.data)}; }
    ASHLAR_ALWAYS_INLINE static storage bit_not(storage a) { return {vmvnq(a.data)}; }
    // Negative counts shift to the right.
    ASHLAR_ALWAYS_INLINE static storage shl(storage a, int count) { return {vshlq_r(a.data, count)}; }
    ASHLAR_ALWAYS_INLINE static storage shr(storage a, int count) { return {vshlq_r(a.data, -count)}; }
    ASHLAR_ALWAYS_INLINE static storage shl(storage a, storage counts) {
        return {vshlq(a.data, __builtin_bit_cast(int32x4_t, counts.data))};
    }
    ASHLAR_ALWAYS_INLINE static storage shr(storage a, storage counts) {
        return {vshlq(a.data, vnegq(__builtin_bit_cast(int32x4_t, counts.data)))};
    }
    template <class Function>
    ASHLAR_ALWAYS_INLINE static storage as_one(Function f, storage a, storage b, storage c) {
        return {f(a.data, b.data, c.data)};
    }
    ASHLAR_ALWAYS_INLINE static storage fma(storage a, storage b, storage c) {
        if constexpr (floating)
            return {vfmaq(c.data, a.data, b.data)};
        else
            return add(mul(a, b), c);
    }
    /// The same with one factor for all lanes, which the instruction takes from a core register.
    ASHLAR_ALWAYS_INLINE static storage fma_by_scalar(Element a, storage b, storage c)
        requires floating
    {
        return {vfmaq_n_f32(c.data, b.data, a)};
    }
    /// a * b + c with one addend for all lanes, and similar: a scalar needs no vector register and no broadcast.
    ASHLAR_ALWAYS_INLINE static storage fma_to_scalar(storage a, storage b, Element c)
        requires floating
    {
        return {vfmasq_n_f32(a.data, b.data, c)};
    }
    ASHLAR_ALWAYS_INLINE static storage add_scalar(storage a, element b) { return {vaddq(a.data, b)}; }
    ASHLAR_ALWAYS_INLINE static storage sub_scalar(storage a, element b) { return {vsubq(a.data, b)}; }
    ASHLAR_ALWAYS_INLINE static storage mul_scalar(storage a, element b) { return {vmulq(a.data, b)}; }
    // Operands in the order of x86's minps: the second one if either is NaN.
    ASHLAR_ALWAYS_INLINE static storage(min)(storage a, storage b) { return select(lt(a, b), a, b); }
    ASHLAR_ALWAYS_INLINE static storage(max)(storage a, storage b) {
        if constexpr (floating)
            return select(lt(b, a), a, b);
        else
            return {vmaxq(a.data, b.data)};
    }
    ASHLAR_ALWAYS_INLINE static storage abs(storage a) {
        if constexpr (is_unsigned)
            return a;
        else
            return {vabsq(a.data)};
    }
    ASHLAR_ALWAYS_INLINE static storage sqrt(storage a) { return gathered(arrays::sqrt(spread(a))); }
    ASHLAR_ALWAYS_INLINE static storage floor(storage a) { return {vrndmq(a.data)}; }
    ASHLAR_ALWAYS_INLINE static storage round(storage a) { return {vrndnq(a.data)}; }

    ASHLAR_ALWAYS_INLINE static mask eq(storage a, storage b) { return {vcmpeqq(a.data, b.data)}; }
    ASHLAR_ALWAYS_INLINE static mask ne(storage a, storage b) { return {vcmpneq(a.data, b.data)}; }
    // Swapped: the instructions for less than are those for not greater or equal, which is true for NaN.
    ASHLAR_ALWAYS_INLINE static mask lt(storage a, storage b) {
        if constexpr (is_unsigned)
            return {vcmphiq(b.data, a.data)};
        else
            return {vcmpgtq(b.data, a.data)};
    }
    ASHLAR_ALWAYS_INLINE static mask le(storage a, storage b) {
        if constexpr (is_unsigned)
            return {vcmpcsq(b.data, a.data)};
        else
            return {vcmpgeq(b.data, a.data)};
    }
    ASHLAR_ALWAYS_INLINE static storage select(mask m, storage a, storage b) {
        return {vpselq(a.data, b.data, m.data)};
    }

    ASHLAR_ALWAYS_INLINE static Element reduce_add(storage a) { return arrays::reduce_add(spread(a)); }
    ASHLAR_ALWAYS_INLINE static Element reduce_max(storage a) {
        if constexpr (floating)
            return arrays::reduce_max(spread(a));
        else
            return vmaxvq((std::numeric_limits<element>::min)(), a.data);
    }
    ASHLAR_ALWAYS_INLINE static Element reduce_min(storage a) { return arrays::reduce_min(spread(a)); }

    /// g++ 12 makes other constants of masks that it knows, or fails; so they are hidden from it.
    ASHLAR_ALWAYS_INLINE static mask of_bits(unsigned bits) {
        __asm__("" : "+r"(bits));
        return {static_cast<mve_pred16_t>(bits)};
    }
    ASHLAR_ALWAYS_INLINE static mask mask_broadcast(bool value) { return of_bits(value ? 0xffffu : 0u); }
    ASHLAR_ALWAYS_INLINE static mask mask_first(std::size_t count) { return {vctp32q(count)}; }
    // With scalars: g++ 12 fails on known vectors of bytes (an internal error).
    ASHLAR_ALWAYS_INLINE static mask of_truths(std::uint32_t bytes) {
        const std::uint32_t pairs = (bytes | bytes >> 4) & 0x00110011u;
        return of_bits(((pairs | pairs >> 8) & 0x1111u) * 15u);
    }
    ASHLAR_ALWAYS_INLINE static mask mask_load(const bool* source) {
        std::uint32_t bytes;
        __builtin_memcpy(&bytes, source, sizeof bytes);
        return of_truths(bytes);
    }
    ASHLAR_ALWAYS_INLINE static mask mask_load_partial(const bool* source, std::size_t count) {
        std::uint32_t bytes = 0;
        for (std::size_t i = 0; i < Width && i < count; ++i) bytes |= std::uint32_t{source[i]} << (8 * i);
        return of_truths(bytes);
    }
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static mask mask_repeat_first(mask m) {
        constexpr unsigned wanted = (1u << (4 * Count)) - 1;
        return of_bits((m.data & wanted) | ((m.data & 1u) != 0 ? 0xffffu & ~wanted : 0u));
    }
    ASHLAR_ALWAYS_INLINE static void mask_store(mask m, bool* target) {
        const std::uint32_t pairs = (m.data & 0x1111u) | (m.data & 0x1111u) << 8;
        const std::uint32_t bytes = ((pairs & 0x00110011u) | (pairs & 0x00110011u) << 4) & 0x01010101u;
        __builtin_memcpy(target, &bytes, sizeof bytes);
    }
    ASHLAR_ALWAYS_INLINE static bool mask_get(mask m, std::size_t i) { return ((m.data >> (4 * i)) & 1) != 0; }
    ASHLAR_ALWAYS_INLINE static mask mask_and(mask a, mask b) { return of_bits(unsigned{a.data} & b.data); }
    ASHLAR_ALWAYS_INLINE static mask mask_or(mask a, mask b) { return of_bits(unsigned{a.data} | b.data); }
    ASHLAR_ALWAYS_INLINE static mask mask_xor(mask a, mask b) { return of_bits(unsigned{a.data} ^ b.data); }
    ASHLAR_ALWAYS_INLINE static mask mask_not(mask a) { return of_bits(0xffffu & ~unsigned{a.data}); }
    ASHLAR_ALWAYS_INLINE static bool mask_all(mask m) { return m.data == 0xffff; }
    ASHLAR_ALWAYS_INLINE static bool mask_any(mask m) { return m.data != 0; }
    template <class Target>
    ASHLAR_ALWAYS_INLINE static auto convert_mask(mask m) -> typename lane_ops<Target, Width, Config>::mask {
        return {m.data};
    }

    /// For any Target whose lanes fill a register too.
    template <class Target>
    ASHLAR_ALWAYS_INLINE static auto convert(storage a) -> typename lane_ops<Target, Width, Config>::storage {
        using target = lane_ops<Target, Width, Config>;
        if constexpr (floating && target::is_unsigned)
            return {vcvtq_u32_f32(a.data)};
        else if constexpr (floating && !target::floating)
            return {vcvtq_s32_f32(a.data)};
        else if constexpr (!floating && target::floating)
            return {vcvtq(a.data)};
        else
            return bit_cast<Target>(a);
    }
    template <class Target>
    ASHLAR_ALWAYS_INLINE static auto bit_cast(storage a) -> typename lane_ops<Target, Width, Config>::storage {
        return {__builtin_bit_cast(mve_register<Target>, a.data)};
    }
    ASHLAR_ALWAYS_INLINE static storage opaque(storage a) {
        __asm__("" : "+w"(a.data));
        return a;
    }
};

}  // namespace ashlar::detail

#endif
