// SPDX-License-Identifier: BSL-1.0
// The Gaussian error linear unit in its erf form.
#pragma once

#include <ashlar/kernel/math/elementary.hpp>
#include <ashlar/kernel/math/exp.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Phi(-a) in 32 pieces, each a cubic polynomial of the distance from its middle: row k has the coefficients of power k
/// as bits. The last piece is zero and serves all larger arguments.
struct gelu_table {
    static constexpr float width = 45.0f / 256;
    static constexpr std::size_t pieces = 32;
    alignas(64) std::uint32_t coefficients[4][pieces];
};
template <class Config>
inline constexpr gelu_table gelu_pieces = [] {
    constexpr int terms = 16;
    constexpr double step = static_cast<double>(gelu_table::width), h = step / 2;
    gelu_table table{};
    double tail = 0.5, slope = -0.398942280401432677939946;
    for (std::size_t i = 0; i + 1 < gelu_table::pieces; ++i) {
        // The Taylor series about a = i * step, from f'' = -x f'.
        const double a = static_cast<double>(i) * step;
        double c[terms] = {tail, slope};
        for (int m = 0; m + 2 < terms; ++m) c[m + 2] = -(a * (m + 1) * c[m + 1] + m * c[m]) / ((m + 1) * (m + 2));
        // Chebyshev polynomials move powers 4 and 5 into these degrees on [-h, h].
        const double cubic[4] = {c[0] - c[4] * h * h * h * h / 8, c[1] - c[5] * h * h * h * h * 5 / 16,
                                 c[2] + c[4] * h * h, c[3] + c[5] * h * h * 5 / 4};
        for (std::size_t k = 0; k < 4; ++k)
            table.coefficients[k][i] = __builtin_bit_cast(std::uint32_t, static_cast<float>(cubic[k]));
        tail = slope = 0;
        for (int m = terms - 1; m >= 0; --m) {
            tail = tail * step + c[m];
            if (m > 0) slope = slope * step + m * c[m];
        }
    }
    return table;
}();

// max(x, 0) below is a form that is NaN at minus infinity, as the product x Phi(x) is.

/// gelu(x) = max(x, 0) - |x| Phi(-|x|), with Phi from a table of pieces; their highest power may be left out.
template <std::size_t Degree, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE lanes<float, Width, Config> gelu_by_table(lanes<float, Width, Config> x) {
    using Lanes = lanes<float, Width, Config>;
    constexpr float width = gelu_table::width;
    const Lanes a = min<>(Lanes(width * static_cast<float>(gelu_table::pieces - 1)), abs(x));
    const Lanes carrier = fence(fma(a, 1 / width, Lanes(float_format<float>::magic)));
    const Lanes r = fma(fence(carrier - Lanes(float_format<float>::magic)), -width, a);
    const auto coefficient = [&](std::size_t power) ASHLAR_LAMBDA_INLINE {
        return bit_cast_lanes<float>(Lanes::ops::lookup(gelu_pieces<Config>.coefficients[power], bits_of(carrier)));
    };
    Lanes phi = coefficient(Degree);
    ASHLAR_UNROLL
    for (std::size_t k = 1; k <= Degree; ++k) phi = fma(phi, r, coefficient(Degree - k));
    return fma(-a, phi, Lanes(Lanes::ops::positive_part(x.data)));
}

/// x^(2^Times).
template <std::size_t Times, class Lanes>
ASHLAR_ALWAYS_INLINE constexpr Lanes squared_times(Lanes x) {
    ASHLAR_UNROLL
    for (std::size_t i = 0; i < Times; ++i) x = x * x;
    return x;
}

/// The same as (x + |x|) / 2 - |x| / 2 P(|x|)^-(2^Roots) with the coefficients of P, in terms of half of x.
template <std::size_t Roots, class Element, std::size_t Width, class Config, class... Coefficient>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> gelu_by_roots(lanes<Element, Width, Config> x,
                                                                           Coefficient... c) {
    using Lanes = lanes<Element, Width, Config>;
    const Lanes half = Element(0.5) * x, magnitude = abs(half);
    const Lanes a = min<>(Lanes(sizeof(Element) == 4 ? Element(20) : Element(5e5)), magnitude);
    return fma(-a, squared_times<Roots>(Element(1) / horner(a, c...)), half + magnitude);
}

/// Phi(-a) = P(a)^-8 / 2: the eighth root is so smooth that few powers suffice. P is fitted on [0, 5.2]
/// (tools/fit_math.py "gelu f32") and grows beyond, so that the tail vanishes.
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, Width, Config> gelu_value(lanes<float, Width, Config> x) {
    if constexpr (looks_up<float, Width, Config>) {
        return gelu_by_table<3>(x);
    } else {
        return gelu_by_roots<3>(x, 256 * 3.0142048e-06f, 128 * -1.7758464e-05f, 64 * 0.00010251964f, 32 * 9.925459e-05f,
                                16 * 0.0009962391f, 8 * 0.008581655f, 4 * 0.044791397f, 2 * 0.09973237f, 1.0f);
    }
}

/// The same with a larger error: no cubes in the table, or the sixteenth root on [0, 4.2] ("gelu coarse").
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> gelu_value_coarse(lanes<Element, Width, Config> x) {
    if constexpr (looks_up<Element, Width, Config>) {
        return gelu_by_table<2>(x);
    } else {
        constexpr float c[] = {16 * 0.00047297392f, 8 * 0.0022825138f, 4 * 0.021991678f, 2 * 0.04963727f, 1.0f};
        return gelu_by_roots<4>(x, Element(c[0]), Element(c[1]), Element(c[2]), Element(c[3]), Element(c[4]));
    }
}

/// gelu(x) = max(x, 0) - |x| Phi(-|x|) with Phi(-a) = 2^-Q(a), and x/2 + x^2 P(x^2) below 1 ("gelu f64 below 1"), for
/// full precision around 0; 0 or x beyond 8.5.
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, Width, Config> gelu_value(lanes<double, Width, Config> x) {
    using Lanes = lanes<double, Width, Config>;
    const auto half = 0.5 * x, magnitude = abs(x);
    const auto a = min<>(Lanes(8.5), magnitude);
    const auto z = a * a;
    const auto inner =
        fma(z,
            horner(z, -9.020077659542935e-11, 2.2268046999016334e-09, -4.117257866884112e-08, 6.659311728417743e-07,
                   -9.444639502745074e-06, 0.00011543468312452133, -0.001187328214787164, 0.009973557009981345,
                   -0.06649038006690378, 0.39894228040143265),
            half);
    const auto q = horner(a, 2.5133132968491353e-17, -2.0345907439475306e-15, 7.773985953797702e-14,
                          -1.865006678093767e-12, 3.1511243609941655e-11, -3.984091571798141e-10, 3.904808502935736e-09,
                          -3.026121342817327e-08, 1.8673624694744077e-07, -9.094792914185099e-07,
                          3.3616258421867526e-06, -8.2399900857406e-06, 4.536313953953681e-06, 6.595050654824702e-05,
                          -0.00029573157345123456, 4.454226617445913e-05, 0.006905052257078622, -0.052424166460208664,
                          -0.45922304712889356, -1.151104329619467, -0.9999999761534608);
    const auto tail = select(a < 8.5, a * exp2_nonpositive(q), 0.0);
    return select(a < 1.0, inner, fma(Lanes(0.5), magnitude, half) - tail);
}

}  // namespace detail

/// x Phi(x) = x/2 (1 + erf(x/sqrt(2))). float: within 3e-7 below 4 and at most 32 ulp (2e-6) from -1, or 12 ulp with
/// AVX-512's table of pieces. double: at most 4 ulp (5 without fused multiply-adds) down to -1, 10 ulp down to -2, and
/// within 5e-16 below 4; results below these bounds may be 0. NaN for minus infinity, as in PyTorch. With
/// `fast` within 5e-5, and with a relative error of at most 5e-4 from -1, float or double.
template <class Element, std::size_t Width, class Config, detail::fast_policy... Policy>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> gelu(lanes<Element, Width, Config> x,
                                                                                Policy...) {
    if (detail::without_product(x)) return detail::nan_like(x);
    if constexpr (sizeof...(Policy) == 0)
        return detail::gelu_value(x);
    else
        return detail::gelu_value_coarse(x);
}

/// The same for a scalar, in constant expressions too.
template <detail::math_float Element, detail::fast_policy... Policy>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element gelu(Element x, Policy... policy) {
    return gelu(lanes<Element, 1>(x), policy...)[0];
}

}  // namespace ashlar
