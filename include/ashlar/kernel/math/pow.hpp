// SPDX-License-Identifier: BSL-1.0
// Powers.
#pragma once

#include <ashlar/kernel/math/elementary.hpp>
#include <ashlar/kernel/math/exp.hpp>
#include <ashlar/kernel/math/log.hpp>

namespace ashlar {

namespace detail {

/// The upper half of the mantissa, so that the product of two such values is exact, with a fused multiply-add or not.
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> upper_half(lanes<T, N, Config> a) {
    using bits = typename float_format<T>::bits;
    constexpr bits keep = static_cast<bits>(~((bits{1} << (sizeof(T) == 4 ? 12 : 27)) - 1));
    return bit_cast_lanes<T>(bits_of(a) & keep);
}

/// R(z) in 3 atanh(s)/s = 3 + z + z^2 R(z), z = s^2; tools/fit_math.py "pow f32", "pow f64".
template <std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, N, Config> pow_tail(lanes<float, N, Config> z) {
    return horner(z, 0.2920173f, 0.33277524f, 0.4285781f, 0.59999996f);
}
template <std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, N, Config> pow_tail(lanes<double, N, Config> z) {
    return horner(z, 0.1798326944406796, 0.1751225781189383, 0.20004474648285736, 0.23076835344970478,
                  0.27272728304907967, 0.33333333326309295, 0.42857142857167646, 0.5999999999999996);
}

/// 2^r as accurate as the format allows; "exp2 f32", "exp2 f64".
template <std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, N, Config> exp2_polynomial(lanes<float, N, Config> r) {
    return horner(r, 0.00015353166f, 0.0013399132f, 0.00961844f, 0.05550332f, 0.24022648f, 0.6931472f, 1.0f);
}
template <std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, N, Config> exp2_polynomial(lanes<double, N, Config> r) {
    return exp2_polynomial_fast(r);
}

/// a^y for finite a > 0: log2(a) in two parts of which the first has half a mantissa, times y in two such parts, then
/// 2^ of the sum. The arrangement of the logarithm follows Sun fdlibm e_pow.c.
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> pow_positive(lanes<T, N, Config> a, lanes<T, N, Config> y) {
    using L = lanes<T, N, Config>;
    L mantissa, exponent;
    split_float(a, mantissa, exponent);
    // s = f / (2 + f), log(1 + f) = 2 atanh(s)
    const L f = mantissa - T(1);
    const L t = f + T(2);
    const L t_high = upper_half(t);
    const L t_low = f - fence(t_high - T(2));
    const L inverse = T(1) / t;
    const L s = f * inverse;
    const L s_high = upper_half(s);
    const L s_low = fence(fence(f - s_high * t_high) - s_high * t_low) * inverse;
    // u = 3 + s^2 + ... in two parts
    const L z = s * s;
    const L z_high = s_high * s_high;
    const L rest = fma(z * z, pow_tail(z), s_low * (s_high + s));
    const L u_high = upper_half(T(3) + z_high + rest);
    const L u_low = rest - fence(fence(u_high - T(3)) - z_high);
    // p = s u, log2(1 + f) = 2/(3 ln 2) p
    const L p_high_full = s_high * u_high;
    const L p_low_full = fma(s_low, u_high, u_low * s);
    const L p_high = upper_half(fence(p_high_full + p_low_full));
    const L p_low = p_low_full - fence(p_high - p_high_full);
    constexpr T factor = T(0.96179669392597560491);
    constexpr T factor_high = sizeof(T) == 4 ? T(0.961669921875) : T(0.96179668605327606201171875);
    constexpr T factor_low = sizeof(T) == 4 ? T(0.000126772051) : T(7.872699542894897704e-9);
    const L q_high = p_high * factor_high;
    const L q_low = fma(p_high, factor_low, p_low * factor);
    const L log_high = upper_half(fence(fence(q_high + q_low) + exponent));
    const L log_low = q_low - fence(fence(log_high - exponent) - q_high);
    // e = y log2(a)
    const L y_high = upper_half(y);
    const L e_high = y_high * log_high;
    const L e_low = fma(fence(y - y_high), log_high, y * log_low);
    constexpr T limit = sizeof(T) == 4 ? T(160) : T(1100);
    const L e = e_high + e_low;
    const L n = round_nearest(clamp(e, -limit, limit));
    // Where the clamp bites, the fraction is meaningless but must stay one.
    const L r = clamp(fence(e_high - n) + e_low, T(-0.75), T(0.75));
    return scale(exp2_polynomial(r), n);
}

}  // namespace detail

/// x^y with the special cases of std::pow: at most 2 ulp (a few more among denormals).
template <class T, std::size_t N, class Config>
    requires detail::math_float<T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> pow(lanes<T, N, Config> x,
                                                                     std::type_identity_t<lanes<T, N, Config>> y) {
    using L = lanes<T, N, Config>;
    using format = detail::float_format<T>;
    const auto x_bits = detail::bits_of(x) & format::magnitude;
    const auto y_bits = detail::bits_of(y) & format::magnitude;
    const auto x_regular = convert_mask<T>(x_bits > 0 && x_bits < format::infinity);
    const auto y_nan = convert_mask<T>(y_bits > format::infinity);
    const auto negative = convert_mask<T>(detail::bits_of(x) < 0);
    // Larger powers than these overflow or vanish whatever x is; all of them are even.
    constexpr T even = sizeof(T) == 4 ? T(1LL << 40) : T(1LL << 62) * 256;
    const L power = select(y_nan, T(1), clamp(select(y_nan, T(1), y), -even, even));
    const L half = power * T(0.5);
    const auto whole = floor(power) == power;
    const auto odd = whole && floor(half) != half;

    L result = detail::pow_positive(select(x_regular, abs(x), T(1)), power);
    const auto x_zero = convert_mask<T>(x_bits == 0);
    const auto rises = power > T(0);
    const L edge = select(x_zero ^ rises, detail::infinity<T>, T(0));
    result = select(x_regular, result, edge);
    result = detail::with_sign(result, select(negative && odd, T(-1), T(1)));
    result = select(negative && x_regular && !whole, detail::quiet_nan<T>, result);
    result = select(y_nan || convert_mask<T>(x_bits > format::infinity), detail::quiet_nan<T>, result);
    return select(x == T(1) || convert_mask<T>(y_bits == 0), T(1), result);
}

/// The same for scalars, in constant expressions too.
template <detail::math_float T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T pow(T x, std::type_identity_t<T> y) {
    return pow(lanes<T, 1>(x), lanes<T, 1>(y))[0];
}

}  // namespace ashlar
