// SPDX-License-Identifier: BSL-1.0
// Exponentials: exp, and cheaper ones for nonpositive arguments, as softmax needs them.
#pragma once

#include <ashlar/kernel/math/exp_tables.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp_remainder(lanes<Element, Width, Config> x,
                                                                           lanes<Element, Width, Config> n) {
    const auto most = fence(fma(n, -exp_reduction<Element>::ln2_high, x));
    return fma(n, -exp_reduction<Element>::ln2_low, most);
}

/// The same in one operation if there are fused multiply-adds, because ln 2 is within 2^-29 of a float.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp_remainder_near_one(lanes<Element, Width, Config> x,
                                                                                    lanes<Element, Width, Config> n) {
    constexpr bool fused = has<Config, isa::fma> || has<Config, isa::avx512f> || has<Config, isa::aarch64>;
    if constexpr (std::is_same_v<Element, float> && in_register<Element, Width, Config>() && fused)
        return fma(n, -0.69314718f, x);
    else
        return exp_remainder(x, n);
}

/// e^r for |r| <= ln(2)/2; tools/fit_math.py "exp f32", "exp f64".
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, Width, Config> exp_polynomial(lanes<float, Width, Config> r) {
    return horner(r, 0.0013814571f, 0.00836873f, 0.04166839f, 0.16666521f, 0.49999994f, 1.0f, 1.0f);
}
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, Width, Config> exp_polynomial(lanes<double, Width, Config> r) {
    return horner(r, 2.497834928086043e-08, 2.7625214635466276e-07, 2.7557641130212217e-06, 2.4801508618502403e-05,
                  0.00019841269465756262, 0.0013888888926842304, 0.008333333333500314, 0.041666666666603853,
                  0.16666666666666433, 0.5, 1.0, 1.0);
}

/// The same with an error of 2^-23.3, by "exp f32 fast"; double has no fast one.
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, Width, Config> exp_polynomial_fast(lanes<float, Width, Config> r) {
    return horner(r, 0.008290293f, 0.04189806f, 0.16667637f, 0.49999148f, 0.9999997f, 1.0f);
}
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, Width, Config> exp_polynomial_fast(lanes<double, Width, Config> r) {
    return exp_polynomial(r);
}

/// 2^r for |r| <= 1/2; "exp2 f32 fast", "exp2 f64".
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, Width, Config> exp2_polynomial_fast(lanes<float, Width, Config> r) {
    return horner(r, 0.0013264732f, 0.009671512f, 0.055507336f, 0.24022242f, 0.693147f, 1.0f);
}
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, Width, Config> exp2_polynomial_fast(lanes<double, Width, Config> r) {
    return horner(r, 4.4347322591317236e-10, 7.073858452766862e-09, 1.017820045290354e-07, 1.3215434871365424e-06,
                  1.5252733489457649e-05, 0.00015403530457875584, 0.0013333558146780109, 0.00961812910759357,
                  0.05550410866482006, 0.24022650695910133, 0.6931471805599453, 1.0);
}

/// 2^r for |r| <= 1/2 with a relative error of 1.01e-4, and exactly 1 for 0; "exp2 coarse".
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp2_polynomial_coarse(lanes<Element, Width, Config> r) {
    constexpr float c[] = {0.055008948f, 0.24221095f, 0.6932829f, 1.0f};
    return horner(r, Element(c[0]), Element(c[1]), Element(c[2]), Element(c[3]));
}

/// Carries n = round(x * factor): the number itself if the scaling instruction takes numbers, otherwise 1.5 * 2^p + n,
/// which has the integer in its low bits.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> carry_rounded(lanes<Element, Width, Config> x,
                                                                           Element factor) {
    if constexpr (lanes<Element, Width, Config>::ops::scales)
        return round_nearest(x * factor);
    else if constexpr (takes_scalars<Element, Width, Config>)
        return x * factor + float_format<Element>::magic;
    else
        return fence(fma(x, factor, lanes<Element, Width, Config>(float_format<Element>::magic)));
}

template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> carried(lanes<Element, Width, Config> carrier) {
    if constexpr (lanes<Element, Width, Config>::ops::scales)
        return carrier;
    else
        return fence(carrier - float_format<Element>::magic);
}

/// p * 2^n if that is a normal number; unspecified for NaN.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> times_power(lanes<Element, Width, Config> p,
                                                                         lanes<Element, Width, Config> carrier) {
    if constexpr (lanes<Element, Width, Config>::ops::scales)
        return scale(p, carrier);
    else
        return bit_cast_lanes<Element>(bits_of(p) + (bits_of(carrier) << float_format<Element>::mantissa));
}

/// True if arguments whose result vanishes are raised to the greatest of them, whose power of two has the bits of 0: a
/// maximum and a multiplication, which keep NaN, instead of a comparison and a select.
template <class Element, std::size_t Width, class Config>
inline constexpr bool raises_vanishing =
    !lanes<Element, Width, Config>::ops::scales && !takes_scalars<Element, Width, Config>;

/// p * 2^n for an argument that was raised if its result vanishes; x is the original argument. If none is raised: 0 for
/// x < least, which must be negative, and NaN for NaN.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> times_power_from(Element least,
                                                                              lanes<Element, Width, Config> x,
                                                                              lanes<Element, Width, Config> p,
                                                                              lanes<Element, Width, Config> carrier) {
    using Lanes = lanes<Element, Width, Config>;
    if constexpr (Lanes::ops::scales)
        return Lanes(Lanes::ops::scale((!(x < least)).data, p.data, carrier.data));
    else if constexpr (takes_scalars<Element, Width, Config>)
        // By a multiplication, which keeps NaN: masks are expensive, and this takes one.
        return select(x < least, Element(0), p * power_of_two(carrier));
    else
        return p * power_of_two(carrier);
}

/// x, or the least argument that a function of nonpositive numbers may take. Minus infinity is not allowed if arguments
/// are arbitrary.
template <exp_arguments Arguments, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> raised(lanes<Element, Width, Config> x, Element least,
                                                                    Element vanishing) {
    using Lanes = lanes<Element, Width, Config>;
    if constexpr (raises_vanishing<Element, Width, Config>)
        return max<>(Lanes(vanishing), x);
    else if constexpr (Arguments == exp_arguments::any && !has<Config, isa::m_profile>)
        return max<>(Lanes(least), x);
    else
        return x;
}

/// 2^x for normal results; unspecified for NaN.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp2_normal(lanes<Element, Width, Config> x) {
    const auto carrier = carry_rounded(x, Element(1));
    return times_power(exp2_polynomial_fast(x - carried(carrier)), carrier);
}

/// e^x for x <= 0 without denormals, with the accurate polynomial.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp_vanishing(lanes<Element, Width, Config> x) {
    constexpr Element least = least_exp_argument<Element>;
    if (Width == 1 && __builtin_is_constant_evaluated() && x[0] < least)
        return lanes<Element, Width, Config>(Element(0));
    const auto y = raised<exp_arguments::finite>(x, least, vanishing_exp_argument<Element>);
    const auto carrier = carry_rounded(y, exp_reduction<Element>::log2_e);
    return times_power_from(least, x, exp_polynomial(exp_remainder(y, carried(carrier))), carrier);
}

/// Arguments of exp beyond which the result is infinity or zero, if no intermediate value overflows.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp_argument(lanes<Element, Width, Config> x) {
    using Lanes = lanes<Element, Width, Config>;
    return min<>(Lanes(sizeof(Element) == 4 ? Element(89) : Element(710)),
                 max<>(Lanes(sizeof(Element) == 4 ? Element(-104) : Element(-746)), x));
}

/// x log2(e) - n for an n near the product: the remainder if n is the nearest integer.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp2_remainder(lanes<Element, Width, Config> x,
                                                                            lanes<Element, Width, Config> n) {
    return fma(x, exp_reduction<Element>::log2_e, -n);
}

/// e^x for x <= 0: exactly 1 for 0, exactly 0 for minus infinity, 0 or less than the least normal number if it would be
/// denormal, NaN for NaN.
template <exp_form Form, exp_arguments Arguments = exp_arguments::finite, class Element, std::size_t Width,
          class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp_nonpositive_as(lanes<Element, Width, Config> x) {
    constexpr Element least = least_exp_argument<Element>;
    // On cores that issue one instruction at a time, a branch that is rarely taken is cheaper than a select.
    if (Width == 1 && (has<Config, isa::m_profile> || __builtin_is_constant_evaluated()) && !(x[0] >= least))
        return max<>(lanes<Element, Width, Config>(Element(0)), x);
    if constexpr (looks_up<Element, Width, Config>) {
        return exp_by_table<Form, Arguments>(x);
    } else if constexpr (looks_up_eighths<Element, Width, Config>) {
        return exp_by_eighths<Form>(x);
    } else if (looks_up_scalars<Element, Width, Config> && !__builtin_is_constant_evaluated()) {
        if constexpr (looks_up_scalars<Element, Width, Config>) return exp_by_scalars<Form>(x);
    } else {
        const auto y = raised<Arguments>(x, least, vanishing_exp_argument<Element>);
        const auto carrier = carry_rounded(y, exp_reduction<Element>::log2_e);
        const auto n = carried(carrier);
        if constexpr (Form == exp_form::coarse)
            return times_power_from(least, x, exp2_polynomial_coarse(exp2_remainder(y, n)), carrier);
        else if constexpr (Form == exp_form::near_one)
            return times_power_from(least, x, exp_polynomial_fast(exp_remainder_near_one(y, n)), carrier);
        else
            return times_power_from(least, x, exp_polynomial_fast(exp_remainder(y, n)), carrier);
    }
}

}  // namespace detail

/// e^x: at most 1.2 ulp over the whole range; overflows to infinity, underflows gradually. With `fast` the relative
/// error is at most 1.2e-4, with the same special values.
template <class Element, std::size_t Width, class Config, detail::fast_policy... Policy>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp(lanes<Element, Width, Config> x,
                                                                               Policy...) {
    if (detail::constant_nan(x)) return x;
    x = detail::exp_argument(x);
    const auto n = detail::carried(detail::carry_rounded(x, detail::exp_reduction<Element>::log2_e));
    if constexpr (sizeof...(Policy) == 0)
        return detail::scale(detail::exp_polynomial(detail::exp_remainder(x, n)), n);
    else
        return detail::scale(detail::exp2_polynomial_coarse(detail::exp2_remainder(x, n)), n);
}

/// e^x for x <= 0, at most 2.5 ulp. Minus infinity and everything below -88.1 (double: -709.2) give exactly 0, and 0
/// gives exactly 1; NaN propagates. Below -87.3 (-708.3), where e^x is denormal, the result is 0 or less than the least
/// normal number. For positive x the result is right up to 88 (double: 709), and beyond that any number or NaN. With
/// `fast` the relative error is at most 1.2e-4.
template <class Element, std::size_t Width, class Config, detail::fast_policy... Policy>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp_nonpositive(
    lanes<Element, Width, Config> x, Policy...) {
    using detail::exp_form;
    return detail::exp_nonpositive_as < sizeof...(Policy) == 0 ? exp_form::precise : exp_form::coarse > (x);
}

/// The same for a scalar, in constant expressions too.
template <detail::math_float Element, detail::fast_policy... Policy>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element exp(Element x, Policy... policy) {
    return exp(lanes<Element, 1>(x), policy...)[0];
}
template <detail::math_float Element, detail::fast_policy... Policy>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element exp_nonpositive(Element x, Policy... policy) {
    return exp_nonpositive(lanes<Element, 1>(x), policy...)[0];
}

}  // namespace ashlar
