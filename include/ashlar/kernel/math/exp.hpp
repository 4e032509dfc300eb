// SPDX-License-Identifier: BSL-1.0
// Exponentials: exp, and cheaper ones for arguments that are not positive, which softmax lives on.
#pragma once

#include <bit>

#include <ashlar/core/fast.hpp>
#include <ashlar/kernel/math/float_format.hpp>

namespace ashlar {

namespace detail {

/// e^x = 2^n e^r with n = round(x / ln 2) and r = x - n ln 2, ln 2 in two parts of which n times the first is exact
/// (Cephes for float, Sun fdlibm for double).
template <class Element>
struct exp_reduction {
    static constexpr Element log2_e = Element(1.44269504088896340736L);
    static constexpr Element ln2_high =
        sizeof(Element) == 4 ? Element(0.693359375L) : Element(6.93147180369123816490e-01L);
    static constexpr Element ln2_low =
        sizeof(Element) == 4 ? Element(-2.12194440e-4L) : Element(1.90821492927058770002e-10L);
};

template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp_remainder(lanes<Element, Width, Config> x,
                                                                           lanes<Element, Width, Config> n) {
    const auto most = fence(fma(n, -exp_reduction<Element>::ln2_high, x));
    return fma(n, -exp_reduction<Element>::ln2_low, most);
}

/// What an exponential is given. Any arguments, minus infinity among them, may cost an operation more: infinity less
/// infinity is an invalid operation, though its result is not used, and a program may trap that.
enum class exp_arguments : std::uint8_t { finite, any };

/// How closely an exponential is computed: to 2.5 ulp; the same down to -10 and to 6 ulp below, which are 2^-34 of e^0;
/// or to a relative error of 1.2e-4.
enum class exp_form : std::uint8_t { precise, beside_one, coarse };

/// The same in one operation where that is to be had: with fused multiply-adds, for ln 2 happens to be within 2^-29 of
/// a float.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp_remainder_beside_one(lanes<Element, Width, Config> x,
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

/// Carries n = round(x * factor): the number itself where the instruction that scales takes numbers, else 1.5 * 2^p +
/// n, which has the integer in its low bits.
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

/// p * 2^n where that is a normal number; nonsense for NaN.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> times_power(lanes<Element, Width, Config> p,
                                                                         lanes<Element, Width, Config> carrier) {
    if constexpr (lanes<Element, Width, Config>::ops::scales)
        return scale(p, carrier);
    else
        return bit_cast_lanes<Element>(bits_of(p) + (bits_of(carrier) << float_format<Element>::mantissa));
}

/// The same, but 0 where x < least and NaN where x is NaN. `least` must be negative.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> times_power_from(Element least,
                                                                              lanes<Element, Width, Config> x,
                                                                              lanes<Element, Width, Config> p,
                                                                              lanes<Element, Width, Config> carrier) {
    using Lanes = lanes<Element, Width, Config>;
    if constexpr (Lanes::ops::scales)
        return Lanes(Lanes::ops::scale((!(x < least)).data, p.data, carrier.data));
    else if constexpr (takes_scalars<Element, Width, Config>)
        // By a multiplication, which keeps NaN: masks are dear, and this takes one.
        return select(x < least, Element(0),
                      p * bit_cast_lanes<Element>((bits_of(carrier) << float_format<Element>::mantissa) +
                                                  float_format<Element>::one));
    else
        return select(x >= least, times_power(p, carrier), max<>(Lanes(Element(0)), x));
}

/// 2^x for normal results; nonsense for NaN.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp2_normal(lanes<Element, Width, Config> x) {
    const auto carrier = carry_rounded(x, Element(1));
    return times_power(exp2_polynomial_fast(x - carried(carrier)), carrier);
}

/// 2^(i/Entries) for 0 <= i < Entries as bits, less i in the exponent's lowest bits and less what a magic number leaves
/// there when both are shifted into the exponent.
template <std::size_t Entries>
struct exp_table {
    static constexpr unsigned shift = float_format<float>::mantissa - std::bit_width(Entries - 1);
    alignas(64) std::uint32_t bits[Entries];
};
template <std::size_t Entries>
inline constexpr exp_table<Entries> exp_table_of = [] {
    constexpr double root_of_32 = 1.0218971486541166782344801347833;
    exp_table<Entries> table{};
    // Not in long double: products of IBM's are no constants.
    double power = 1;
    for (std::uint32_t i = 0; i < 32; ++i) {
        if (i % (32 / Entries) == 0) {
            const std::uint32_t entry = i / (32 / Entries);
            const auto magic = __builtin_bit_cast(std::uint32_t, float_format<float>::magic);
            table.bits[entry] = __builtin_bit_cast(std::uint32_t, static_cast<float>(power)) -
                                ((magic + entry) << exp_table<Entries>::shift);
        }
        power *= root_of_32;
    }
    return table;
}();

/// Below these e^x and 2^x are denormal.
template <class Element>
inline constexpr Element least_exp_argument = sizeof(Element) == 4 ? Element(-87.3) : Element(-708.3);
template <class Element>
inline constexpr Element least_exp2_argument = sizeof(Element) == 4 ? Element(-126) : Element(-1022);

/// e^x for x <= 0 without denormals, with the accurate polynomial.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp_vanishing(lanes<Element, Width, Config> x) {
    constexpr Element least = least_exp_argument<Element>;
    if (Width == 1 && __builtin_is_constant_evaluated() && x[0] < least)
        return lanes<Element, Width, Config>(Element(0));
    const auto carrier = carry_rounded(x, exp_reduction<Element>::log2_e);
    return times_power_from(least, x, exp_polynomial(exp_remainder(x, carried(carrier))), carrier);
}

/// True where one instruction picks a float for each lane from 32 of them.
template <class Element, std::size_t Width, class Config>
inline constexpr bool looks_up =
    std::is_same_v<Element, float> && Width == 16 && in_register<Element, Width, Config>() && has<Config, isa::avx512f>;

/// e^x for x <= 0 as 2^(n/32) e^r with |r| <= ln(2)/64: half the multiplications of a polynomial alone. The cubic term
/// is what a Chebyshev polynomial leaves of it in the linear one. Coarsely 1 + r is e^r.
template <exp_form Form, exp_arguments Arguments, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> exp_by_table(lanes<Element, Width, Config> x) {
    using Lanes = lanes<Element, Width, Config>;
    const auto keep = !(x < least_exp_argument<Element>);
#if defined(__clang__)
    // For clang a masked operation is an operation and a choice, and may become both.
    if constexpr (Arguments == exp_arguments::any) x = max<>(Lanes(least_exp_argument<Element>), x);
#endif
    const Lanes carrier = fence(fma(x, 32 * exp_reduction<Element>::log2_e, Lanes(float_format<Element>::magic)));
    const Lanes n = fence(carrier - Lanes(float_format<Element>::magic));
    const auto kept_fma = [&](Lanes a, Lanes b, Lanes c) ASHLAR_LAMBDA_INLINE {
        return Lanes(Lanes::ops::fma(keep.data, a.data, b.data, c.data));
    };
    Lanes r = kept_fma(n, Lanes(-0.69314718f / 32), x);
    if constexpr (Form == exp_form::precise) r = kept_fma(n, Lanes(1.9046542e-9f / 32), fence(r));
    const auto power =
        Lanes::ops::lookup(exp_table_of<32>.bits, bits_of(carrier)) + (bits_of(carrier) << exp_table<32>::shift);
    const Lanes most = bit_cast_lanes<Element>(power);
    Lanes correction = r;
    if constexpr (Form != exp_form::coarse) correction = r * fma(r, 0.5f, Lanes(1.0f + 1.4663e-5f));
    return kept_fma(most, correction, most);
}

/// True where one picks it from 8 of them, by masks that are vectors.
template <class Element, std::size_t Width, class Config>
inline constexpr bool looks_up_eighths =
    std::is_same_v<Element, float> && Width == 8 && in_register<Element, Width, Config>() && has<Config, isa::avx2> &&
    has<Config, isa::fma> && !has<Config, isa::avx512f>;

/// e^x for x <= 0 as 2^(n/8) e^r with |r| <= ln(2)/16: seven operations of the multiply-adders instead of ten, for
/// comparisons, maxima and choices run there too. The quartic term is what a Chebyshev polynomial leaves of it in the
/// quadratic one. Where the result is zero, the remainder is, so that nothing overflows behind it.
template <exp_form Form, exp_arguments Arguments, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> exp_by_eighths(lanes<Element, Width, Config> x) {
    using Lanes = lanes<Element, Width, Config>;
    const auto vanishes = x < least_exp_argument<Element>;
    if constexpr (Arguments == exp_arguments::any) x = max<>(Lanes(least_exp_argument<Element>), x);
    const Lanes carrier = fence(fma(x, 8 * exp_reduction<Element>::log2_e, Lanes(float_format<Element>::magic)));
    const Lanes n = fence(carrier - Lanes(float_format<Element>::magic));
    Lanes r = fma(n, -0.69314718f / 8, x);
    if constexpr (Form == exp_form::precise) r = fma(n, 1.9046542e-9f / 8, fence(r));
    if constexpr (Arguments == exp_arguments::finite) r = Lanes(Lanes::ops::except(vanishes.data, r.data));
    const auto power =
        Lanes::ops::lookup(exp_table_of<8>.bits, bits_of(carrier)) + (bits_of(carrier) << exp_table<8>::shift);
    const Lanes most(Lanes::ops::except(vanishes.data, bit_cast_lanes<Element>(power).data));
    Lanes slope(0.5f);
    if constexpr (Form != exp_form::coarse) slope = fma(r, 0.16666667f, Lanes(0.5f + 6.478e-5f));
    return fma(most, r * fma(r, slope, Lanes(1)), most);
}

/// 2^x for x <= 0 as 2^(n/32) 2^r, n in units of 1/32, and r exact: additions in place of two of the multiplications
/// that e^x takes, which many processors have units of their own for. The coefficients are those of `exp_by_table`.
template <exp_form Form, exp_arguments Arguments, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> exp2_by_table(lanes<Element, Width, Config> x) {
    using Lanes = lanes<Element, Width, Config>;
    const auto keep = !(x < least_exp2_argument<Element>);
#if defined(__clang__)
    if constexpr (Arguments == exp_arguments::any) x = max<>(Lanes(least_exp2_argument<Element>), x);
#endif
    const Lanes magic(float_format<Element>::magic / 32);
    const Lanes carrier = fence(x + magic), n = fence(carrier - magic);
    const Lanes r = Arguments == exp_arguments::any ? Lanes(Lanes::ops::subtract(keep.data, x.data, n.data)) : x - n;
    const auto power =
        Lanes::ops::lookup(exp_table_of<32>.bits, bits_of(carrier)) + (bits_of(carrier) << exp_table<32>::shift);
    const Lanes most = bit_cast_lanes<Element>(power);
    Lanes correction = r * Lanes(0.69314718f);
    if constexpr (Form != exp_form::coarse) correction = r * fma(r, 0.24022651f, Lanes(0.69315734f));
    return Lanes(Lanes::ops::fma(keep.data, most.data, correction.data, most.data));
}

/// The same by 8 entries, with the coefficients of `exp_by_eighths`.
template <exp_form Form, exp_arguments Arguments, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> exp2_by_eighths(lanes<Element, Width, Config> x) {
    using Lanes = lanes<Element, Width, Config>;
    const auto vanishes = x < least_exp2_argument<Element>;
    if constexpr (Arguments == exp_arguments::any) x = max<>(Lanes(least_exp2_argument<Element>), x);
    const Lanes magic(float_format<Element>::magic / 8);
    const Lanes carrier = fence(x + magic);
    Lanes r = x - fence(carrier - magic);
    if constexpr (Arguments == exp_arguments::finite) r = Lanes(Lanes::ops::except(vanishes.data, r.data));
    const auto power =
        Lanes::ops::lookup(exp_table_of<8>.bits, bits_of(carrier)) + (bits_of(carrier) << exp_table<8>::shift);
    const Lanes most(Lanes::ops::except(vanishes.data, bit_cast_lanes<Element>(power).data));
    Lanes slope(0.24022651f);
    if constexpr (Form != exp_form::coarse) slope = fma(r, 0.055504109f, Lanes(0.24025763f));
    return fma(most, r * fma(r, slope, Lanes(0.69314718f)), most);
}

/// True where a lane is a register of a core that runs one instruction after the other: a load is as cheap as a
/// multiplication, and a multiply-add overwrites the constant that it adds to, which is copied first.
template <class Element, std::size_t Width, class Config>
inline constexpr bool looks_up_scalars =
    std::is_same_v<Element, float> && Width == 1 && has<Config, isa::m_profile> && has<Config, isa::vfp_float>;

/// e^x as by `exp_by_table` for one lane that does not vanish.
template <exp_form Form, class Element, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, 1, Config> exp_by_scalars(lanes<Element, 1, Config> x) {
    using Lanes = lanes<Element, 1, Config>;
    const Lanes carrier = fence(fma(x, 32 * exp_reduction<Element>::log2_e, Lanes(float_format<Element>::magic)));
    const Lanes n = fence(carrier - Lanes(float_format<Element>::magic));
    // In one rounding, whatever the compiler has been told of contractions: the remainder stands on it.
    Lanes r(__builtin_fmaf(n[0], -0.69314718f / 32, x[0]));
    if constexpr (Form == exp_form::precise) r = fma(n, 1.9046542e-9f / 32, r);
    const auto bits = static_cast<std::uint32_t>(bits_of(carrier)[0]);
    const Lanes most(__builtin_bit_cast(Element, exp_table_of<32>.bits[bits % 32] + (bits << exp_table<32>::shift)));
    Lanes correction = r;
    if constexpr (Form != exp_form::coarse) correction = r * fma(r, 0.5f, Lanes(1.0f + 1.4663e-5f));
    return fma(most, correction, most);
}

/// 2^x likewise.
template <exp_form Form, class Element, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, 1, Config> exp2_by_scalars(lanes<Element, 1, Config> x) {
    using Lanes = lanes<Element, 1, Config>;
    const Lanes magic(float_format<Element>::magic / 32);
    const Lanes carrier = fence(x + magic), r = x - fence(carrier - magic);
    const auto bits = static_cast<std::uint32_t>(bits_of(carrier)[0]);
    const Lanes most(__builtin_bit_cast(Element, exp_table_of<32>.bits[bits % 32] + (bits << exp_table<32>::shift)));
    Lanes correction = r * 0.69314718f;
    if constexpr (Form != exp_form::coarse) correction = r * fma(r, 0.24022651f, Lanes(0.69315734f));
    return fma(most, correction, most);
}

/// Arguments of exp beyond which the result is infinity or zero, where nothing has overflowed on the way.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp_argument(lanes<Element, Width, Config> x) {
    using Lanes = lanes<Element, Width, Config>;
    return min<>(Lanes(sizeof(Element) == 4 ? Element(89) : Element(710)),
                 max<>(Lanes(sizeof(Element) == 4 ? Element(-104) : Element(-746)), x));
}

/// x log2(e) - n for n next to the product: what is left where n is the nearest integer.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp2_remainder(lanes<Element, Width, Config> x,
                                                                            lanes<Element, Width, Config> n) {
    return fma(x, exp_reduction<Element>::log2_e, -n);
}

/// e^x for x <= 0: exactly 1 for 0, exactly 0 where it would be denormal, NaN for NaN.
template <exp_form Form, exp_arguments Arguments = exp_arguments::finite, class Element, std::size_t Width,
          class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp_nonpositive_as(lanes<Element, Width, Config> x) {
    constexpr Element least = least_exp_argument<Element>;
    // A branch that is hardly ever taken is cheaper than a choice between two results, one instruction after the other.
    if (Width == 1 && (has<Config, isa::m_profile> || __builtin_is_constant_evaluated()) && !(x[0] >= least))
        return max<>(lanes<Element, Width, Config>(Element(0)), x);
    if constexpr (looks_up<Element, Width, Config>) {
        return exp_by_table<Form, Arguments>(x);
    } else if constexpr (looks_up_eighths<Element, Width, Config>) {
        return exp_by_eighths<Form, Arguments>(x);
    } else if (looks_up_scalars<Element, Width, Config> && !__builtin_is_constant_evaluated()) {
        if constexpr (looks_up_scalars<Element, Width, Config>) return exp_by_scalars<Form>(x);
    } else {
        auto y = x;
        if constexpr (Arguments == exp_arguments::any && !has<Config, isa::m_profile>)
            y = max<>(lanes<Element, Width, Config>(least), x);
        const auto carrier = carry_rounded(y, exp_reduction<Element>::log2_e);
        const auto n = carried(carrier);
        if constexpr (Form == exp_form::coarse)
            return times_power_from(least, x, exp2_polynomial_coarse(exp2_remainder(y, n)), carrier);
        else if constexpr (Form == exp_form::beside_one)
            return times_power_from(least, x, exp_polynomial_fast(exp_remainder_beside_one(y, n)), carrier);
        else
            return times_power_from(least, x, exp_polynomial_fast(exp_remainder(y, n)), carrier);
    }
}

/// 2^x for x <= 0: exactly 1 for 0, exactly 0 where it would be denormal, NaN for NaN. To 2.5 ulp in both forms that
/// are not coarse.
template <exp_form Form, exp_arguments Arguments = exp_arguments::finite, class Element, std::size_t Width,
          class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp2_nonpositive_as(lanes<Element, Width, Config> x) {
    constexpr Element least = least_exp2_argument<Element>;
    if (Width == 1 && (has<Config, isa::m_profile> || __builtin_is_constant_evaluated()) && !(x[0] >= least))
        return max<>(lanes<Element, Width, Config>(Element(0)), x);
    if constexpr (looks_up<Element, Width, Config>) {
        return exp2_by_table<Form, Arguments>(x);
    } else if constexpr (looks_up_eighths<Element, Width, Config>) {
        return exp2_by_eighths<Form, Arguments>(x);
    } else if (looks_up_scalars<Element, Width, Config> && !__builtin_is_constant_evaluated()) {
        if constexpr (looks_up_scalars<Element, Width, Config>) return exp2_by_scalars<Form>(x);
    } else {
        auto y = x;
        if constexpr (Arguments == exp_arguments::any && !has<Config, isa::m_profile>)
            y = max<>(lanes<Element, Width, Config>(least), x);
        const auto carrier = carry_rounded(y, Element(1));
        const auto r = y - carried(carrier);
        if constexpr (Form == exp_form::coarse)
            return times_power_from(least, x, exp2_polynomial_coarse(r), carrier);
        else
            return times_power_from(least, x, exp2_polynomial_fast(r), carrier);
    }
}

}  // namespace detail

/// e^x: at most 1.2 ulp over the whole range; overflows to infinity, underflows gradually.
template <class Element, std::size_t Width, class Config>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp(lanes<Element, Width, Config> x) {
    using Lanes = lanes<Element, Width, Config>;
    if (detail::constant_nan(x)) return x;
    x = detail::exp_argument(x);
    const Lanes n = detail::carried(detail::carry_rounded(x, detail::exp_reduction<Element>::log2_e));
    return detail::scale(detail::exp_polynomial(detail::exp_remainder(x, n)), n);
}

/// e^x with a relative error of at most 1.2e-4 over the whole range; the same special values.
template <class Element, std::size_t Width, class Config>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp(lanes<Element, Width, Config> x,
                                                                               fast_t) {
    if (detail::constant_nan(x)) return x;
    x = detail::exp_argument(x);
    const auto n = detail::carried(detail::carry_rounded(x, detail::exp_reduction<Element>::log2_e));
    return detail::scale(detail::exp2_polynomial_coarse(detail::exp2_remainder(x, n)), n);
}

/// e^x for x <= 0, at most 2.5 ulp: minus infinity gives exactly 0, as does everything below -87.3 (double: -708.3),
/// and 0 gives exactly 1; NaN propagates. For positive x the result is right up to 88 (double: 709),
/// and beyond that any number or NaN.
template <class Element, std::size_t Width, class Config>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp_nonpositive(
    lanes<Element, Width, Config> x) {
    return detail::exp_nonpositive_as<detail::exp_form::precise>(x);
}

/// The same with a relative error of at most 1.2e-4.
template <class Element, std::size_t Width, class Config>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp_nonpositive(
    lanes<Element, Width, Config> x, fast_t) {
    return detail::exp_nonpositive_as<detail::exp_form::coarse>(x);
}

/// 2^x for x <= 0: as `exp_nonpositive` but two or three operations cheaper, for who can fold log2(e) into a factor; at
/// most 2.5 ulp. Everything below -126 (double: -1022) gives 0.
template <class Element, std::size_t Width, class Config>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp2_nonpositive(
    lanes<Element, Width, Config> x) {
    return detail::exp2_nonpositive_as<detail::exp_form::precise>(x);
}

/// The same for a scalar, in constant expressions too.
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element exp(Element x) {
    return exp(lanes<Element, 1>(x))[0];
}
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element exp(Element x, fast_t) {
    return exp(lanes<Element, 1>(x), fast)[0];
}
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element exp_nonpositive(Element x, fast_t) {
    return exp_nonpositive(lanes<Element, 1>(x), fast)[0];
}
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element exp_nonpositive(Element x) {
    return exp_nonpositive(lanes<Element, 1>(x))[0];
}
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element exp2_nonpositive(Element x) {
    return exp2_nonpositive(lanes<Element, 1>(x))[0];
}

}  // namespace ashlar
