// SPDX-License-Identifier: BSL-1.0
// Lanes as a plain array: one lane in constant expressions, and every width no register of this build has.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd/instruction_sets.hpp>
#include <ashlar/kernel/simd/scalar_ops.hpp>

namespace ashlar::inline v0_1::detail {

template <class Element, std::size_t Width>
struct lane_array {
    Element values[Width];
};

/// 0, 1, 2, ...
template <class Element, std::size_t Width>
consteval lane_array<Element, Width> counted_lanes() {
    lane_array<Element, Width> result{};
    for (std::size_t i = 0; i < Width; ++i) result.values[i] = static_cast<Element>(i);
    return result;
}

/// Hides a value from the optimiser without moving it: in a register of its kind, if the processor has one. A way
/// through memory would cost a small core a quarter of a product.
template <class Element>
ASHLAR_ALWAYS_INLINE void opaque_scalar(Element& value) {
    [[maybe_unused]] constexpr std::size_t bits = sizeof(Element) * 8;
    [[maybe_unused]] constexpr bool floating = std::is_floating_point_v<Element>;
#if defined(__SSE2_MATH__)
    if constexpr (floating && bits <= 64)
        __asm__("" : "+x"(value));
    else
        __asm__("" : "+m"(value));
#elif defined(__aarch64__)
    if constexpr (floating && bits <= 64)
        __asm__("" : "+w"(value));
    else
        __asm__("" : "+m"(value));
#elif defined(__arm__)
#if defined(__ARM_FP)
    constexpr bool singles = (__ARM_FP & 4) != 0, doubles = (__ARM_FP & 8) != 0;
#else
    constexpr bool singles = false, doubles = false;
#endif
    if constexpr (floating && bits == 32 && singles)
        __asm__("" : "+t"(value));
    else if constexpr (floating && bits == 64 && doubles)
        __asm__("" : "+w"(value));
    else if constexpr (bits <= 32)
        __asm__("" : "+r"(value));
    else
        __asm__("" : "+m"(value));
#elif defined(__riscv)
#if defined(__riscv_flen)
    constexpr std::size_t longest = __riscv_flen;
#else
    constexpr std::size_t longest = 0;
#endif
    if constexpr (floating && bits <= longest)
        __asm__("" : "+f"(value));
    else if constexpr (bits <= __riscv_xlen)
        __asm__("" : "+r"(value));
    else
        __asm__("" : "+m"(value));
#elif defined(__s390x__) || defined(__powerpc64__)
    if constexpr (floating && bits <= 64)
        __asm__("" : "+f"(value));
    else if constexpr (bits <= 64)
        __asm__("" : "+r"(value));
    else
        __asm__("" : "+m"(value));
#else
    __asm__("" : "+m"(value));
#endif
}

/// The operations of `lanes`, one function each. This form is an array with loops, all constexpr.
template <class Element, std::size_t Width, class Config>
struct array_lane_ops {
    static_assert(!std::is_same_v<Element, bool>, "ashlar: lanes: there are no lanes of bool; use lane_mask");
    using storage = lane_array<Element, Width>;
    using mask = lane_array<bool, Width>;
    using scalar = scalar_ops<Element>;
    static constexpr bool scales = false;

    template <class Result = Element, class Function, class... Operands>
    ASHLAR_ALWAYS_INLINE static constexpr lane_array<Result, Width> each(Function f, const Operands&... operands) {
        lane_array<Result, Width> result;
        for (std::size_t i = 0; i < Width; ++i) result.values[i] = f(operands.values[i]...);
        return result;
    }

    ASHLAR_ALWAYS_INLINE static constexpr storage broadcast(Element value) {
        storage result;
        for (std::size_t i = 0; i < Width; ++i) result.values[i] = value;
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage load(const Element* source) {
        storage result;
        for (std::size_t i = 0; i < Width; ++i) result.values[i] = source[i];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr void store(storage a, Element* target) {
        for (std::size_t i = 0; i < Width; ++i) target[i] = a.values[i];
    }
    // Bounded loops: a condition on each lane becomes a masked load, which g++ 12 turns into a whole load and a blend.
    ASHLAR_ALWAYS_INLINE static constexpr storage load_partial(const Element* source, std::size_t count) {
        storage result{};
        for (std::size_t i = 0; i < Width && i < count; ++i) result.values[i] = source[i];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr void store_partial(storage a, Element* target, std::size_t count) {
        for (std::size_t i = 0; i < Width && i < count; ++i) target[i] = a.values[i];
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage gather_strided(const Element* source, std::ptrdiff_t stride) {
        storage result;
        for (std::size_t i = 0; i < Width; ++i) result.values[i] = source[static_cast<std::ptrdiff_t>(i) * stride];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage iota() {
        storage result;
        for (std::size_t i = 0; i < Width; ++i) result.values[i] = static_cast<Element>(i);
        return result;
    }
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static constexpr storage repeat_first(storage a) {
        for (std::size_t i = Count; i < Width; ++i) a.values[i] = a.values[0];
        return a;
    }
    ASHLAR_ALWAYS_INLINE static constexpr Element get(storage a, std::size_t i) { return a.values[i]; }
    ASHLAR_ALWAYS_INLINE static constexpr storage insert(storage a, std::size_t i, Element value) {
        a.values[i] = value;
        return a;
    }

    ASHLAR_ALWAYS_INLINE static constexpr storage add(storage a, storage b) {
        return each([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return scalar::add(x, y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage sub(storage a, storage b) {
        return each([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return scalar::sub(x, y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage mul(storage a, storage b) {
        return each([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return scalar::mul(x, y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage div(storage a, storage b) {
        return each([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return static_cast<Element>(x / y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage rem(storage a, storage b) {
        return each([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return static_cast<Element>(x % y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage neg(storage a) {
        return each([](Element x) ASHLAR_LAMBDA_INLINE { return scalar::neg(x); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage bit_and(storage a, storage b) {
        return each([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return static_cast<Element>(x & y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage bit_or(storage a, storage b) {
        return each([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return static_cast<Element>(x | y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage bit_xor(storage a, storage b) {
        return each([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return static_cast<Element>(x ^ y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage bit_not(storage a) {
        return each([](Element x) ASHLAR_LAMBDA_INLINE { return static_cast<Element>(~x); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage shl(storage a, int count) {
        return each([count](Element x) ASHLAR_LAMBDA_INLINE { return scalar::shl(x, count); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage shr(storage a, int count) {
        return each([count](Element x) ASHLAR_LAMBDA_INLINE { return static_cast<Element>(x >> count); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage shl(storage a, storage count) {
        return each([](Element x, Element n) ASHLAR_LAMBDA_INLINE { return scalar::shl(x, static_cast<int>(n)); }, a,
                    count);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage shr(storage a, storage count) {
        return each([](Element x, Element n) ASHLAR_LAMBDA_INLINE { return static_cast<Element>(x >> n); }, a, count);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage fma(storage a, storage b, storage c) {
        return each([](Element x, Element y, Element z)
                        ASHLAR_LAMBDA_INLINE { return scalar::add(scalar::mul(x, y), z); },
                    a, b, c);
    }
    template <class Function>
    ASHLAR_ALWAYS_INLINE static constexpr storage as_one(Function f, storage a, storage b, storage c) {
        return each(f, a, b, c);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage(min)(storage a, storage b) {
        return each([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return x < y ? x : y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage(max)(storage a, storage b) {
        return each([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return x > y ? x : y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage abs(storage a) {
        return each([](Element x) ASHLAR_LAMBDA_INLINE { return scalar::abs(x); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage sqrt(storage a) {
        return each([](Element x) ASHLAR_LAMBDA_INLINE { return scalar::sqrt(x); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage floor(storage a) {
        return each([](Element x) ASHLAR_LAMBDA_INLINE { return scalar::floor(x); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage round(storage a) {
        return each([](Element x) ASHLAR_LAMBDA_INLINE { return scalar::round(x); }, a);
    }

    ASHLAR_ALWAYS_INLINE static constexpr mask eq(storage a, storage b) {
        return each<bool>([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return x == y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask ne(storage a, storage b) {
        return each<bool>([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return x != y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask lt(storage a, storage b) {
        return each<bool>([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return x < y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask le(storage a, storage b) {
        return each<bool>([](Element x, Element y) ASHLAR_LAMBDA_INLINE { return x <= y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage select(mask m, storage a, storage b) {
        return each([](bool keep, Element x, Element y) ASHLAR_LAMBDA_INLINE { return keep ? x : y; }, m, a, b);
    }

    /// Combines halves until one lane is left, in the order of registers.
    template <class Function>
    ASHLAR_ALWAYS_INLINE static constexpr Element reduce(storage a, Function f) {
        std::size_t width = Width;
        while (width > 1) {
            const std::size_t half = (width + 1) / 2;
            for (std::size_t i = 0; i + half < width; ++i) a.values[i] = f(a.values[i], a.values[i + half]);
            width = half;
        }
        return a.values[0];
    }
    ASHLAR_ALWAYS_INLINE static constexpr Element reduce_add(storage a) {
        return reduce(a, [](Element x, Element y) ASHLAR_LAMBDA_INLINE { return scalar::add(x, y); });
    }
    ASHLAR_ALWAYS_INLINE static constexpr Element reduce_max(storage a) {
        return reduce(a, [](Element x, Element y) ASHLAR_LAMBDA_INLINE { return x > y ? x : y; });
    }
    ASHLAR_ALWAYS_INLINE static constexpr Element reduce_min(storage a) {
        return reduce(a, [](Element x, Element y) ASHLAR_LAMBDA_INLINE { return x < y ? x : y; });
    }

    ASHLAR_ALWAYS_INLINE static constexpr mask mask_broadcast(bool value) {
        return each<bool>([value](bool) ASHLAR_LAMBDA_INLINE { return value; }, mask{});
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_first(std::size_t count) {
        mask result;
        for (std::size_t i = 0; i < Width; ++i) result.values[i] = i < count;
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_load(const bool* source) {
        mask result;
        for (std::size_t i = 0; i < Width; ++i) result.values[i] = source[i];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_load_partial(const bool* source, std::size_t count) {
        mask result{};
        for (std::size_t i = 0; i < Width && i < count; ++i) result.values[i] = source[i];
        return result;
    }
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_repeat_first(mask m) {
        for (std::size_t i = Count; i < Width; ++i) m.values[i] = m.values[0];
        return m;
    }
    ASHLAR_ALWAYS_INLINE static constexpr void mask_store(mask m, bool* target) {
        for (std::size_t i = 0; i < Width; ++i) target[i] = m.values[i];
    }
    ASHLAR_ALWAYS_INLINE static constexpr bool mask_get(mask m, std::size_t i) { return m.values[i]; }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_and(mask a, mask b) {
        return each<bool>([](bool x, bool y) ASHLAR_LAMBDA_INLINE { return x && y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_or(mask a, mask b) {
        return each<bool>([](bool x, bool y) ASHLAR_LAMBDA_INLINE { return x || y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_xor(mask a, mask b) {
        return each<bool>([](bool x, bool y) ASHLAR_LAMBDA_INLINE { return x != y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_not(mask a) {
        return each<bool>([](bool x) ASHLAR_LAMBDA_INLINE { return !x; }, a);
    }
    ASHLAR_ALWAYS_INLINE static storage opaque(storage a) {
        for (std::size_t i = 0; i < Width; ++i) {
            Element value = a.values[i];
            opaque_scalar(value);
            a.values[i] = value;
        }
        return a;
    }
    ASHLAR_ALWAYS_INLINE static constexpr bool mask_all(mask m) {
        for (std::size_t i = 0; i < Width; ++i)
            if (!m.values[i]) return false;
        return true;
    }
    ASHLAR_ALWAYS_INLINE static constexpr bool mask_any(mask m) {
        for (std::size_t i = 0; i < Width; ++i)
            if (m.values[i]) return true;
        return false;
    }
};

/// The generic form of lanes; kernel/simd.hpp specialises it for registers.
template <class Element, std::size_t Width, class Config>
struct lane_ops : array_lane_ops<Element, Width, Config> {
    static_assert(!in_register<Element, Width, Config>(),
                  "ashlar: lanes: this width is a register here; include <ashlar/kernel/simd.hpp>");
};

}  // namespace ashlar::detail
