// SPDX-License-Identifier: BSL-1.0
// Arithmetic of one value as in one lane of a register, constexpr and without the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

/// Signed and unsigned integers of a given number of bytes.
template <std::size_t Bytes>
using signed_of_size = std::conditional_t<
    Bytes == 1, std::int8_t,
    std::conditional_t<Bytes == 2, std::int16_t, std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>>>;
template <std::size_t Bytes>
using unsigned_of_size = std::make_unsigned_t<signed_of_size<Bytes>>;

/// Integer arithmetic that wraps on overflow, as in vector registers; everything else as in the language.
template <class Element>
struct scalar_ops {
    using wrapping = std::conditional_t<(sizeof(Element) < sizeof(unsigned)), unsigned,
                                        unsigned_of_size<sizeof(Element) <= 8 ? sizeof(Element) : 8>>;
    static constexpr bool wraps = std::is_integral_v<Element>;

    ASHLAR_ALWAYS_INLINE static constexpr Element add(Element a, Element b) {
        if constexpr (wraps)
            return static_cast<Element>(static_cast<wrapping>(a) + static_cast<wrapping>(b));
        else
            return a + b;
    }
    ASHLAR_ALWAYS_INLINE static constexpr Element sub(Element a, Element b) {
        if constexpr (wraps)
            return static_cast<Element>(static_cast<wrapping>(a) - static_cast<wrapping>(b));
        else
            return a - b;
    }
    ASHLAR_ALWAYS_INLINE static constexpr Element mul(Element a, Element b) {
        if constexpr (wraps)
            return static_cast<Element>(static_cast<wrapping>(a) * static_cast<wrapping>(b));
        else
            return a * b;
    }
    ASHLAR_ALWAYS_INLINE static constexpr Element neg(Element a) {
        if constexpr (wraps)
            return static_cast<Element>(wrapping{0} - static_cast<wrapping>(a));
        else
            return -a;
    }
    ASHLAR_ALWAYS_INLINE static constexpr Element shl(Element a, int count) {
        return static_cast<Element>(static_cast<wrapping>(a) << count);
    }
    ASHLAR_ALWAYS_INLINE static constexpr Element abs(Element a) {
        if constexpr (std::is_floating_point_v<Element> && sizeof(Element) <= 8) {
            using bits = unsigned_of_size<sizeof(Element)>;
            return __builtin_bit_cast(Element,
                                      static_cast<bits>(__builtin_bit_cast(bits, a) & (static_cast<bits>(-1) >> 1)));
        } else if constexpr (std::is_unsigned_v<Element>) {
            return a;
        } else {
            return a < Element(0) ? neg(a) : a;
        }
    }

    /// Above this magnitude every value is an integer.
    static constexpr Element whole = std::is_same_v<Element, float> ? Element(8388608) : Element(4503599627370496LL);
    using whole_int = std::conditional_t<std::is_same_v<Element, float>, std::int32_t, std::int64_t>;

    ASHLAR_ALWAYS_INLINE static constexpr Element with_sign_of(Element magnitude, Element sign) {
        using bits = unsigned_of_size<sizeof(Element)>;
        constexpr bits sign_bit = static_cast<bits>(bits{1} << (sizeof(Element) * 8 - 1));
        return __builtin_bit_cast(Element, static_cast<bits>(__builtin_bit_cast(bits, magnitude) |
                                                             (__builtin_bit_cast(bits, sign) & sign_bit)));
    }
    ASHLAR_ALWAYS_INLINE static constexpr Element floor(Element a) {
        if (!(abs(a) < whole)) return a;
        const Element cut = static_cast<Element>(static_cast<whole_int>(a));
        return with_sign_of(cut > a ? cut - Element(1) : cut, a);
    }
    /// Ties to even, through integers so that no optimisation flag can fold it away.
    ASHLAR_ALWAYS_INLINE static constexpr Element round(Element a) {
        if (!(abs(a) < whole)) return a;
        const whole_int cut = static_cast<whole_int>(a);
        const Element rest = a - static_cast<Element>(cut);
        const whole_int odd = cut & 1;
        const whole_int up = (rest > Element(0.5) || (rest == Element(0.5) && odd)) ? 1 : 0;
        const whole_int down = (rest < Element(-0.5) || (rest == Element(-0.5) && odd)) ? 1 : 0;
        return with_sign_of(static_cast<Element>(cut + up - down), a);
    }

    /// The square root, correctly rounded by an instruction if there is one; otherwise, and in constant expressions, by
    /// Newton's method. Never a library call, which std::sqrt becomes because of errno.
    ASHLAR_ALWAYS_INLINE static constexpr Element sqrt(Element a) {
        if (!__builtin_is_constant_evaluated()) {
#if defined(__AVX__)
            Element root;
            if constexpr (std::is_same_v<Element, float>)
                __asm__("vsqrtss {%1, %1, %0|%0, %1, %1}" : "=x"(root) : "x"(a));
            else
                __asm__("vsqrtsd {%1, %1, %0|%0, %1, %1}" : "=x"(root) : "x"(a));
            return root;
#elif defined(__SSE2__)
            Element root;
            if constexpr (std::is_same_v<Element, float>)
                __asm__("sqrtss {%1, %0|%0, %1}" : "=x"(root) : "x"(a));
            else
                __asm__("sqrtsd {%1, %0|%0, %1}" : "=x"(root) : "x"(a));
            return root;
#elif defined(__i386__)
            __asm__("fsqrt" : "+t"(a));
            return a;
#elif defined(__aarch64__)
            Element root;
            if constexpr (std::is_same_v<Element, float>)
                __asm__("fsqrt %s0, %s1" : "=w"(root) : "w"(a));
            else
                __asm__("fsqrt %d0, %d1" : "=w"(root) : "w"(a));
            return root;
#elif defined(__ARM_FP) && (__ARM_FP & 4)
            if constexpr (std::is_same_v<Element, float>) {
                Element root;
                __asm__("vsqrt.f32 %0, %1" : "=t"(root) : "t"(a));
                return root;
            }
#if __ARM_FP & 8
            if constexpr (std::is_same_v<Element, double>) {
                Element root;
                __asm__("vsqrt.f64 %P0, %P1" : "=w"(root) : "w"(a));
                return root;
            }
#endif
#elif defined(__riscv_flen) && __riscv_flen >= 64
            Element root;
            if constexpr (std::is_same_v<Element, float>)
                __asm__("fsqrt.s %0, %1" : "=f"(root) : "f"(a));
            else
                __asm__("fsqrt.d %0, %1" : "=f"(root) : "f"(a));
            return root;
#elif defined(__wasm__)
            if constexpr (std::is_same_v<Element, float>)
                return __builtin_sqrtf(a);
            else
                return __builtin_sqrt(a);
#endif
        }
        using bits = unsigned_of_size<sizeof(Element)>;
        constexpr int mantissa = std::numeric_limits<Element>::digits - 1;
        constexpr bits infinity = static_cast<bits>((bits{1} << (sizeof(Element) * 8 - 1)) - (bits{1} << mantissa));
        const bits pattern = __builtin_bit_cast(bits, a);
        if (static_cast<bits>(pattern << 1) == 0 || pattern == infinity || (pattern & (infinity << 1 >> 1)) > infinity)
            return a;
        if (pattern > infinity)
            return __builtin_bit_cast(Element, static_cast<bits>(infinity | (bits{1} << (mantissa - 1))));
        Element scale = 1;
        if (pattern <
            (bits{unsigned_of_size<sizeof(Element)>(std::numeric_limits<Element>::max_exponent) / 2} << mantissa)) {
            // Small ones are scaled up, so that no remainder below is denormal.
            constexpr Element lift = Element(bits{1} << (mantissa + 1));
            a *= lift * lift;
            scale = Element(1) / lift;
        } else if (pattern >= infinity - (bits{1} << mantissa)) {
            // The largest ones are scaled down, so that no square of a root that is too large overflows.
            a *= Element(0.25);
            scale = 2;
        }
        // Halving the exponent in the bits is within 6%; four steps square that below half an ulp of double.
        Element root = __builtin_bit_cast(Element, static_cast<bits>((__builtin_bit_cast(bits, a) >> 1) +
                                                                     (__builtin_bit_cast(bits, Element(1)) >> 1)));
        for (int step = 0; step < 4; ++step) root = Element(0.5) * (root + a / root);
        // The last ulp from the exact remainder: halves of a mantissa have exact products.
        const Element high = __builtin_bit_cast(
            Element, static_cast<bits>(__builtin_bit_cast(bits, root) & ~((bits{1} << (mantissa / 2 + 1)) - 1)));
        const Element low = root - high;
        const Element remainder = ((a - high * high) - Element(2) * high * low) - low * low;
        return (root + remainder / (root + root)) * scale;
    }
};

}  // namespace ashlar::detail
