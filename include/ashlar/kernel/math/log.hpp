// SPDX-License-Identifier: BSL-1.0
// The natural logarithm.
#pragma once

#include <ashlar/kernel/math/float_format.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// x = mantissa * 2^exponent with mantissa in [sqrt(1/2), sqrt(2)), for positive finite x; otherwise finite and
/// unspecified.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr void split_float(lanes<Element, Width, Config> x,
                                                lanes<Element, Width, Config>& mantissa,
                                                lanes<Element, Width, Config>& exponent) {
    using Lanes = lanes<Element, Width, Config>;
    using format = float_format<Element>;
    using bits = typename format::bits;
    constexpr bits sqrt_half = sizeof(Element) == 4 ? bits(0x3f3504f3) : static_cast<bits>(0x3fe6a09e667f3bcd);
    constexpr int lift = format::mantissa + 1;
    const auto denormal = bits_of(x) < (bits{1} << format::mantissa);
    const auto lifted = bits_of(x * select(convert_mask<Element>(denormal), Element(bits{1} << lift), Element(1)));
    const auto offset = lifted - sqrt_half;
    mantissa = bit_cast_lanes<Element>((offset & ((bits{1} << format::mantissa) - 1)) + sqrt_half);
    const auto whole = (offset >> format::mantissa) - select(denormal, bits(lift), bits(0));
    // The exponent as a number, from the low bits of 1.5 * 2^mantissa, without a conversion.
    const Lanes magic(format::magic);
    exponent = fence(bit_cast_lanes<Element>(whole + bits_of(magic))) - magic;
}

/// log(mantissa) + exponent * ln 2; "log f32" as Cephes logf, "log f64" as fdlibm e_log.c.
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, Width, Config> log_split(lanes<float, Width, Config> mantissa,
                                                                     lanes<float, Width, Config> exponent) {
    const auto f = mantissa - 1.0f;
    const auto square = f * f;
    auto tail = f * square *
                horner(f, 0.06746627f, -0.11675634f, 0.11888159f, -0.124055915f, 0.14219552f, -0.16667996f, 0.20002119f,
                       -0.2500001f, 0.33333313f);
    tail = fma(exponent, -2.12194440e-4f, tail);
    tail = fma(square, -0.5f, tail);
    return fma(exponent, 0.693359375f, fence(f + tail));
}
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, Width, Config> log_split(lanes<double, Width, Config> mantissa,
                                                                      lanes<double, Width, Config> exponent) {
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
template <class Element, std::size_t Width, class Config>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> log(lanes<Element, Width, Config> x) {
    using Lanes = lanes<Element, Width, Config>;
    using format = detail::float_format<Element>;
    if (detail::constant_nan(x)) return x;
    const auto bits = detail::bits_of(x);
    const auto finite = convert_mask<Element>(bits > 0 && bits < format::infinity);
    const Lanes safe = select(finite, x, Element(1));
    const Lanes special = select(convert_mask<Element>((bits & format::magnitude) == 0), -detail::infinity<Element>,
                                 select(convert_mask<Element>(bits < 0), detail::quiet_nan<Element>, x));
    Lanes mantissa, exponent;
    detail::split_float(safe, mantissa, exponent);
    return select(finite, detail::log_split(mantissa, exponent), special);
}

/// The same for a scalar, in constant expressions too.
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element log(Element x) {
    return log(lanes<Element, 1>(x))[0];
}

}  // namespace ashlar
