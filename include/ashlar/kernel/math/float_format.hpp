// SPDX-License-Identifier: BSL-1.0
// Common parts of the functions in kernel/math/: the bits of a floating-point format, polynomials, powers of two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ashlar/core/fast.hpp>
#include <ashlar/kernel/simd/lanes.hpp>

namespace ashlar::inline v0_1::detail {

/// The types that have these functions.
template <class Element>
concept math_float = std::is_same_v<Element, float> || std::is_same_v<Element, double>;

/// The type of a last argument that may be `fast`.
template <class Policy>
concept fast_policy = std::is_same_v<Policy, fast_t>;

/// IEEE binary32 and binary64 as integers.
template <class Element>
struct float_format {
    using bits = signed_of_size<sizeof(Element)>;
    using unsigned_bits = unsigned_of_size<sizeof(Element)>;
    static constexpr int mantissa = sizeof(Element) == 4 ? 23 : 52;
    static constexpr int bias = sizeof(Element) == 4 ? 127 : 1023;
    static constexpr bits sign = static_cast<bits>(unsigned_bits{1} << (sizeof(Element) * 8 - 1));
    static constexpr bits magnitude = static_cast<bits>(~sign);
    static constexpr bits infinity = static_cast<bits>(bits{2 * bias + 1} << mantissa);
    static constexpr bits quiet_nan = static_cast<bits>(infinity | (bits{1} << (mantissa - 1)));
    static constexpr bits one = static_cast<bits>(bits{bias} << mantissa);
    /// 1.5 * 2^mantissa: adding it rounds to the nearest integer, which is then in the low bits.
    static constexpr Element magic = Element(3) * Element(bits{1} << (mantissa - 1));
};

/// Infinity and NaN from their bits: compilers warn about the standard library's constants with -ffast-math.
template <class Element>
inline constexpr Element infinity = __builtin_bit_cast(Element, float_format<Element>::infinity);
template <class Element>
inline constexpr Element quiet_nan = __builtin_bit_cast(Element, float_format<Element>::quiet_nan);
/// A variable instead of a call: without optimisation, units with different flags would share the called function.
template <class Element>
inline constexpr Element lowest_value = std::numeric_limits<Element>::lowest();

/// Keeps the optimiser from algebra on a value whose rounding matters, and the x87 from extra precision.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> fence(lanes<Element, Width, Config> a) {
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
    return opaque(a);
#else
    if constexpr (Config::fast_math)
        return opaque(a);
    else
        return a;
#endif
}

template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr auto bits_of(lanes<Element, Width, Config> a) {
    return bit_cast_lanes<typename float_format<Element>::bits>(a);
}

template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr auto is_nan(lanes<Element, Width, Config> a) {
    return convert_mask<Element>((bits_of(a) & float_format<Element>::magnitude) > float_format<Element>::infinity);
}

/// True for NaN in a constant expression, which must return it before any arithmetic.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr bool constant_nan(lanes<Element, Width, Config> a) {
    if constexpr (Width == 1)
        return __builtin_is_constant_evaluated() && is_nan(a)[0];
    else
        return false;
}

/// True for NaN and minus infinity in a constant expression, whose product with a vanishing factor is not a constant.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr bool without_product(lanes<Element, Width, Config> a) {
    if constexpr (Width == 1)
        return __builtin_is_constant_evaluated() && (is_nan(a)[0] || a[0] == -infinity<Element>);
    else
        return false;
}

/// NaN in all lanes.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> nan_like(lanes<Element, Width, Config>) {
    return lanes<Element, Width, Config>(quiet_nan<Element>);
}

/// The magnitude of `a` (which must not be negative) with the sign of `sign`.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> with_sign(lanes<Element, Width, Config> a,
                                                                       lanes<Element, Width, Config> sign) {
    return bit_cast_lanes<Element>(bits_of(a) | (bits_of(sign) & float_format<Element>::sign));
}

/// A polynomial by Horner's rule, highest coefficient first. The upper part of a long one is split into two in x^2: one
/// operation more and half the latency, for which loops over independent vectors lack scheduler entries.
template <class Element, std::size_t Width, class Config, class... Rest>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> horner(lanes<Element, Width, Config> x, Element first,
                                                                    Rest... rest) {
    using Lanes = lanes<Element, Width, Config>;
    constexpr std::size_t count = sizeof...(Rest) + 1;
    constexpr std::size_t split = count < 8 ? 1 : count - 2;
    const Element coefficients[count] = {first, rest...};
    Lanes sum(first);
    if constexpr (split > 1) {
        const Lanes square = x * x;
        Lanes sums[2] = {Lanes(coefficients[0]), Lanes(coefficients[1])};
        ASHLAR_UNROLL
        for (std::size_t i = 2; i < split; ++i) sums[i % 2] = fma(sums[i % 2], square, coefficients[i]);
        sum = fma(sums[split % 2], x, sums[1 - split % 2]);
    }
    ASHLAR_UNROLL
    for (std::size_t i = split; i < count; ++i) sum = fma(sum, x, coefficients[i]);
    return sum;
}

/// 2^n for the integer n in the low bits of `magic + n`.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> power_of_two(lanes<Element, Width, Config> magic_plus_n) {
    using format = float_format<Element>;
    return bit_cast_lanes<Element>((bits_of(magic_plus_n) << format::mantissa) + format::one);
}

/// a * 2^n for 1/2 < a < 2 and integral n, |n| <= 2 * bias - 2: underflows gradually and overflows to infinity.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> scale(lanes<Element, Width, Config> a,
                                                                   lanes<Element, Width, Config> n) {
    using Lanes = lanes<Element, Width, Config>;
    if constexpr (Lanes::ops::scales) {
        return Lanes(Lanes::ops::scale(a.data, n.data));
    } else {
        // In two factors, each a normal number.
        const Lanes magic(float_format<Element>::magic);
        const Lanes half = fence(fma(n, Element(0.5), magic));
        const Lanes rest = fence(n - fence(half - magic) + magic);
        const Lanes first = fence(a * power_of_two(half));
        const Lanes second = power_of_two(rest);
        if (Width == 1 && __builtin_is_constant_evaluated()) {
            // A constant expression must not overflow.
            constexpr Element huge = __builtin_bit_cast(
                Element, static_cast<typename float_format<Element>::bits>(float_format<Element>::infinity - 1));
            if (second[0] > 1 && first[0] > huge / second[0]) return Lanes(infinity<Element>);
        }
        return first * second;
    }
}

}  // namespace ashlar::detail
