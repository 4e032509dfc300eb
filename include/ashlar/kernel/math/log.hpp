// SPDX-License-Identifier: BSL-1.0
// The natural logarithm.
#pragma once

#include <ashlar/kernel/math/format.hpp>

namespace ashlar {

namespace detail {

/// x = mantissa * 2^exponent with mantissa in [sqrt(1/2), sqrt(2)), for positive finite x; finite nonsense otherwise.
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr void split_float(lanes<T, N, Config> x, lanes<T, N, Config>& mantissa,
                                                lanes<T, N, Config>& exponent) {
    using L = lanes<T, N, Config>;
    using format = float_format<T>;
    using bits = typename format::bits;
    constexpr bits sqrt_half = sizeof(T) == 4 ? bits(0x3f3504f3) : static_cast<bits>(0x3fe6a09e667f3bcd);
    constexpr int lift = format::mantissa + 1;
    const auto denormal = bits_of(x) < (bits{1} << format::mantissa);
    const auto lifted = bits_of(x * select(convert_mask<T>(denormal), T(bits{1} << lift), T(1)));
    const auto offset = lifted - sqrt_half;
    mantissa = bit_cast_lanes<T>((offset & ((bits{1} << format::mantissa) - 1)) + sqrt_half);
    const auto whole = (offset >> format::mantissa) - select(denormal, bits(lift), bits(0));
    // The exponent as a number: put behind the leading bits of 1.5 * 2^mantissa, where no conversion is needed.
    const L magic(format::magic);
    exponent = fence(bit_cast_lanes<T>(whole + bits_of(magic))) - magic;
}

/// log(mantissa) + exponent * ln 2; "log f32" in the manner of Cephes logf, "log f64" in that of fdlibm e_log.c.
template <std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, N, Config> log_split(lanes<float, N, Config> mantissa,
                                                                 lanes<float, N, Config> exponent) {
    const auto f = mantissa - 1.0f;
    const auto square = f * f;
    auto tail = f * square *
                horner(f, 0.06746627f, -0.11675634f, 0.11888159f, -0.124055915f, 0.14219552f, -0.16667996f, 0.20002119f,
                       -0.2500001f, 0.33333313f);
    tail = fma(exponent, -2.12194440e-4f, tail);
    tail = fma(square, -0.5f, tail);
    return fma(exponent, 0.693359375f, fence(f + tail));
}
template <std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, N, Config> log_split(lanes<double, N, Config> mantissa,
                                                                  lanes<double, N, Config> exponent) {
    const auto f = mantissa - 1.0;
    const auto half_square = 0.5 * f * f;
    const auto s = f / (2.0 + f);
    const auto z = s * s;
    const auto r = 2.0 * z *
                   horner(z, 0.06625579113431908, 0.06625068355604932, 0.07693544972091221, 0.09090887841917585,
                          0.11111111323285935, 0.1428571428454367, 0.2000000000000312, 0.3333333333333333);
    const auto low = fence(half_square - fma(s, half_square + r, exponent * 1.90821492927058770002e-10));
    return fma(exponent, 6.93147180369123816490e-01, fence(f - low));
}

}  // namespace detail

/// The natural logarithm: at most 1 ulp. log(0) is minus infinity, log of a negative number NaN.
template <class T, std::size_t N, class Config>
    requires detail::math_float<T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> log(lanes<T, N, Config> x) {
    using L = lanes<T, N, Config>;
    using format = detail::float_format<T>;
    if (detail::constant_nan(x))
        return x;
    const auto bits = detail::bits_of(x);
    const auto finite = convert_mask<T>(bits > 0 && bits < format::infinity);
    const L safe = select(finite, x, T(1));
    const L special = select(convert_mask<T>((bits & format::magnitude) == 0), -detail::infinity<T>,
                             select(convert_mask<T>(bits < 0), detail::quiet_nan<T>, x));
    L mantissa, exponent;
    detail::split_float(safe, mantissa, exponent);
    return select(finite, detail::log_split(mantissa, exponent), special);
}

/// The same for a scalar, in constant expressions too.
template <detail::math_float T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T log(T x) {
    return log(lanes<T, 1>(x))[0];
}

}  // namespace ashlar
