// SPDX-License-Identifier: BSL-1.0
// Powers.
#pragma once

#include <ashlar/kernel/math/elementary.hpp>
#include <ashlar/kernel/math/exp.hpp>
#include <ashlar/kernel/math/log.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// The upper half of the mantissa: the product of two such values is exact, with or without a fused multiply-add.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> upper_half(lanes<Element, Width, Config> a) {
    using bits = typename float_format<Element>::bits;
    constexpr bits keep = static_cast<bits>(~((bits{1} << (sizeof(Element) == 4 ? 12 : 27)) - 1));
    return bit_cast_lanes<Element>(bits_of(a) & keep);
}

/// R(z) in 3 atanh(s)/s = 3 + z + z^2 R(z), z = s^2; tools/fit_math.py "pow f32", "pow f64".
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, Width, Config> pow_tail(lanes<float, Width, Config> z) {
    return horner(z, 0.2920173f, 0.33277524f, 0.4285781f, 0.59999996f);
}
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, Width, Config> pow_tail(lanes<double, Width, Config> z) {
    return horner(z, 0.1798326944406796, 0.1751225781189383, 0.20004474648285736, 0.23076835344970478,
                  0.27272728304907967, 0.33333333326309295, 0.42857142857167646, 0.5999999999999996);
}

/// 2^r as accurate as the format allows; "exp2 f32", "exp2 f64".
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, Width, Config> exp2_polynomial(lanes<float, Width, Config> r) {
    return horner(r, 0.00015353166f, 0.0013399132f, 0.00961844f, 0.05550332f, 0.24022648f, 0.6931472f, 1.0f);
}
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, Width, Config> exp2_polynomial(lanes<double, Width, Config> r) {
    return exp2_polynomial_fast(r);
}

/// a^y for finite a > 0: log2(a) in two parts, the first with half a mantissa, times y in two such parts, then 2^ of
/// the sum. The logarithm follows Sun fdlibm e_pow.c.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> pow_positive(lanes<Element, Width, Config> a,
                                                                          lanes<Element, Width, Config> y) {
    using Lanes = lanes<Element, Width, Config>;
    Lanes mantissa, exponent;
    split_float(a, mantissa, exponent);
    // s = f / (2 + f), log(1 + f) = 2 atanh(s)
    const Lanes f = mantissa - Element(1);
    const Lanes t = f + Element(2);
    const Lanes t_high = upper_half(t);
    const Lanes t_low = f - fence(t_high - Element(2));
    const Lanes inverse = Element(1) / t;
    const Lanes s = f * inverse;
    const Lanes s_high = upper_half(s);
    const Lanes s_low = fence(fence(f - s_high * t_high) - s_high * t_low) * inverse;
    // u = 3 + s^2 + ... in two parts
    const Lanes z = s * s;
    const Lanes z_high = s_high * s_high;
    const Lanes rest = fma(z * z, pow_tail(z), s_low * (s_high + s));
    const Lanes u_high = upper_half(Element(3) + z_high + rest);
    const Lanes u_low = rest - fence(fence(u_high - Element(3)) - z_high);
    // p = s u, log2(1 + f) = 2/(3 ln 2) p
    const Lanes p_high_full = s_high * u_high;
    const Lanes p_low_full = fma(s_low, u_high, u_low * s);
    const Lanes p_high = upper_half(fence(p_high_full + p_low_full));
    const Lanes p_low = p_low_full - fence(p_high - p_high_full);
    constexpr Element factor = Element(0.96179669392597560491);
    constexpr Element factor_high =
        sizeof(Element) == 4 ? Element(0.961669921875) : Element(0.96179668605327606201171875);
    constexpr Element factor_low = sizeof(Element) == 4 ? Element(0.000126772051) : Element(7.872699542894897704e-9);
    const Lanes q_high = p_high * factor_high;
    const Lanes q_low = fma(p_high, factor_low, p_low * factor);
    const Lanes log_high = upper_half(fence(fence(q_high + q_low) + exponent));
    const Lanes log_low = q_low - fence(fence(log_high - exponent) - q_high);
    // e = y log2(a)
    const Lanes y_high = upper_half(y);
    const Lanes e_high = y_high * log_high;
    const Lanes e_low = fma(fence(y - y_high), log_high, y * log_low);
    constexpr Element limit = sizeof(Element) == 4 ? Element(160) : Element(1100);
    const Lanes e = e_high + e_low;
    const Lanes n = round_nearest(clamp(e, -limit, limit));
    // If the clamp applies, the fraction has no meaning but must stay a fraction.
    const Lanes r = clamp(fence(e_high - n) + e_low, Element(-0.75), Element(0.75));
    return scale(exp2_polynomial(r), n);
}

}  // namespace detail

/// x^y with the special cases of std::pow: at most 2 ulp (a few more among denormals).
template <class Element, std::size_t Width, class Config>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> pow(
    lanes<Element, Width, Config> x, std::type_identity_t<lanes<Element, Width, Config>> y) {
    using Lanes = lanes<Element, Width, Config>;
    using format = detail::float_format<Element>;
    const auto x_bits = detail::bits_of(x) & format::magnitude;
    const auto y_bits = detail::bits_of(y) & format::magnitude;
    const auto x_regular = convert_mask<Element>(x_bits > 0 && x_bits < format::infinity);
    const auto y_nan = convert_mask<Element>(y_bits > format::infinity);
    const auto negative = convert_mask<Element>(detail::bits_of(x) < 0);
    // Larger powers than these overflow or vanish for any x; all of them are even.
    constexpr Element even = sizeof(Element) == 4 ? Element(1LL << 40) : Element(1LL << 62) * 256;
    const Lanes power = select(y_nan, Element(1), clamp(select(y_nan, Element(1), y), -even, even));
    const Lanes half = power * Element(0.5);
    const auto whole = floor(power) == power;
    const auto odd = whole && floor(half) != half;

    Lanes result = detail::pow_positive(select(x_regular, abs(x), Element(1)), power);
    const auto x_zero = convert_mask<Element>(x_bits == 0);
    const auto rises = power > Element(0);
    const Lanes edge = select(x_zero ^ rises, detail::infinity<Element>, Element(0));
    result = select(x_regular, result, edge);
    result = detail::with_sign(result, select(negative && odd, Element(-1), Element(1)));
    result = select(negative && x_regular && !whole, detail::quiet_nan<Element>, result);
    result = select(y_nan || convert_mask<Element>(x_bits > format::infinity), detail::quiet_nan<Element>, result);
    return select(x == Element(1) || convert_mask<Element>(y_bits == 0), Element(1), result);
}

/// The same power for all lanes, where the pow of <cmath> would match too.
template <class Element, std::size_t Width, class Config, class Power>
    requires(detail::math_float<Element> && std::is_arithmetic_v<Power>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> pow(lanes<Element, Width, Config> x,
                                                                               Power y) {
    return pow(x, lanes<Element, Width, Config>(y));
}

/// The same for scalars, in constant expressions too.
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element pow(Element x, std::type_identity_t<Element> y) {
    return pow(lanes<Element, 1>(x), lanes<Element, 1>(y))[0];
}

}  // namespace ashlar
