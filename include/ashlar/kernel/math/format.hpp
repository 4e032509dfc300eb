// SPDX-License-Identifier: BSL-1.0
// What the functions of kernel/math/ share: the bits of a floating-point format, polynomials, powers of two.
#pragma once

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ashlar::detail {

/// The types that have these functions.
template <class T>
concept math_float = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// IEEE binary32 and binary64 as integers.
template <class T>
struct float_format {
    using bits = signed_of_size<sizeof(T)>;
    using unsigned_bits = unsigned_of_size<sizeof(T)>;
    static constexpr int mantissa = sizeof(T) == 4 ? 23 : 52;
    static constexpr int bias = sizeof(T) == 4 ? 127 : 1023;
    static constexpr bits sign = static_cast<bits>(unsigned_bits{1} << (sizeof(T) * 8 - 1));
    static constexpr bits magnitude = static_cast<bits>(~sign);
    static constexpr bits infinity = static_cast<bits>(bits{2 * bias + 1} << mantissa);
    static constexpr bits quiet_nan = static_cast<bits>(infinity | (bits{1} << (mantissa - 1)));
    static constexpr bits one = static_cast<bits>(bits{bias} << mantissa);
    /// 1.5 * 2^mantissa: adding it rounds to the nearest integer, which then stands in the low bits.
    static constexpr T magic = T(3) * T(bits{1} << (mantissa - 1));
};

/// Infinity and NaN by their bits: compilers warn of the library's constants under -ffast-math.
template <class T>
inline constexpr T infinity = __builtin_bit_cast(T, float_format<T>::infinity);
template <class T>
inline constexpr T quiet_nan = __builtin_bit_cast(T, float_format<T>::quiet_nan);
/// A variable and no call: without optimisation units of different flags would share the function that is called.
template <class T>
inline constexpr T lowest_value = std::numeric_limits<T>::lowest();

/// Keeps the optimiser from algebra on a value whose rounding matters, and the x87 from extra precision.
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> fence(lanes<T, N, Config> a) {
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
    return opaque(a);
#else
    if constexpr (Config::fast_math)
        return opaque(a);
    else
        return a;
#endif
}

template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr auto bits_of(lanes<T, N, Config> a) {
    return bit_cast_lanes<typename float_format<T>::bits>(a);
}

template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr auto is_nan(lanes<T, N, Config> a) {
    return convert_mask<T>((bits_of(a) & float_format<T>::magnitude) > float_format<T>::infinity);
}

/// True for a NaN in a constant expression, where it must be returned before arithmetic meets it.
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr bool constant_nan(lanes<T, N, Config> a) {
    if constexpr (N == 1)
        return __builtin_is_constant_evaluated() && is_nan(a)[0];
    else
        return false;
}

/// The magnitude of `a` (which must not be negative) with the sign of `sign`.
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> with_sign(lanes<T, N, Config> a, lanes<T, N, Config> sign) {
    return bit_cast_lanes<T>(bits_of(a) | (bits_of(sign) & float_format<T>::sign));
}

/// A polynomial by Horner's rule, highest coefficient first. The upper part of a long one as two in x^2: one operation
/// more and half the latency, which a loop over independent vectors runs out of scheduler entries for.
template <class T, std::size_t N, class Config, class... Rest>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> horner(lanes<T, N, Config> x, T first, Rest... rest) {
    using L = lanes<T, N, Config>;
    constexpr std::size_t count = sizeof...(Rest) + 1;
    constexpr std::size_t split = count < 8 ? 1 : count - 2;
    const T coefficients[count] = {first, rest...};
    L sum(first);
    if constexpr (split > 1) {
        const L square = x * x;
        L sums[2] = {L(coefficients[0]), L(coefficients[1])};
        ASHLAR_UNROLL
        for (std::size_t i = 2; i < split; ++i)
            sums[i % 2] = fma(sums[i % 2], square, L(coefficients[i]));
        sum = fma(sums[split % 2], x, sums[1 - split % 2]);
    }
    ASHLAR_UNROLL
    for (std::size_t i = split; i < count; ++i)
        sum = fma(sum, x, L(coefficients[i]));
    return sum;
}

/// 2^n for the integer n in the low bits of `magic + n`.
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> power_of_two(lanes<T, N, Config> magic_plus_n) {
    using format = float_format<T>;
    return bit_cast_lanes<T>((bits_of(magic_plus_n) << format::mantissa) + format::one);
}

/// a * 2^n for 1/2 < a < 2 and integral n, |n| <= 2 * bias - 2: underflows gradually and overflows to infinity.
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> scale(lanes<T, N, Config> a, lanes<T, N, Config> n) {
    using L = lanes<T, N, Config>;
    if constexpr (L::ops::scales) {
        return L(L::ops::scale(a.data, n.data));
    } else {
        // In two factors, each a normal number.
        const L magic(float_format<T>::magic);
        const L half = fence(fma(n, T(0.5), magic));
        const L rest = fence(n - fence(half - magic) + magic);
        const L first = fence(a * power_of_two(half));
        const L second = power_of_two(rest);
        if (N == 1 && __builtin_is_constant_evaluated()) {
            // A constant expression may not overflow.
            constexpr T huge =
                __builtin_bit_cast(T, static_cast<typename float_format<T>::bits>(float_format<T>::infinity - 1));
            if (second[0] > 1 && first[0] > huge / second[0])
                return L(infinity<T>);
        }
        return first * second;
    }
}

}  // namespace ashlar::detail
