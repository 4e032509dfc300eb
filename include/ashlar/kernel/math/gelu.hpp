// SPDX-License-Identifier: BSL-1.0
// The Gaussian error linear unit in its erf form.
#pragma once

#include <ashlar/kernel/math/elementary.hpp>
#include <ashlar/kernel/math/exp.hpp>

namespace ashlar {

namespace detail {

/// gelu(x) = max(x, 0) - |x| Phi(-|x|) with Phi(-a) = 2^-Q(a): relative accuracy where 1 + erf(x/sqrt(2)) would have
/// cancelled. Q is fitted on [0, 6] (tools/fit_math.py "gelu f32") and only grows beyond, so that the tail vanishes.
template <std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, N, Config> gelu_value(lanes<float, N, Config> x) {
    using L = lanes<float, N, Config>;
    const auto a = min(L(16.0f), abs(x));
    const auto q = horner(a, -3.7498033e-08f, 1.0292944e-06f, -1.2298492e-05f, 8.1657716e-05f, -0.00028993996f,
                          7.929157e-06f, 0.006950558f, -0.05245077f, -0.4592161f, -1.1511048f, -1.0f);
    return fma(-a, exp2_nonpositive(q), relu(x));
}

/// The same with x/2 + x^2 P(x^2) below 1 ("gelu f64 below 1"), for full precision around 0; 0 or x beyond 8.5.
template <std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, N, Config> gelu_value(lanes<double, N, Config> x) {
    using L = lanes<double, N, Config>;
    const auto a = min(L(8.5), abs(x));
    const auto z = a * a;
    const auto small =
        fma(z,
            horner(z, -9.020077659542935e-11, 2.2268046999016334e-09, -4.117257866884112e-08, 6.659311728417743e-07,
                   -9.444639502745074e-06, 0.00011543468312452133, -0.001187328214787164, 0.009973557009981345,
                   -0.06649038006690378, 0.39894228040143265),
            0.5 * x);
    const auto q = horner(a, 2.5133132968491353e-17, -2.0345907439475306e-15, 7.773985953797702e-14,
                          -1.865006678093767e-12, 3.1511243609941655e-11, -3.984091571798141e-10, 3.904808502935736e-09,
                          -3.026121342817327e-08, 1.8673624694744077e-07, -9.094792914185099e-07,
                          3.3616258421867526e-06, -8.2399900857406e-06, 4.536313953953681e-06, 6.595050654824702e-05,
                          -0.00029573157345123456, 4.454226617445913e-05, 0.006905052257078622, -0.052424166460208664,
                          -0.45922304712889356, -1.151104329619467, -0.9999999761534608);
    const auto tail = select(a < 8.5, a * exp2_nonpositive(q), 0.0);
    return select(a < 1.0, small, relu(x) - tail);
}

}  // namespace detail

/// x Phi(x) = x/2 (1 + erf(x/sqrt(2))): at most 4 ulp (5 without fused multiply-adds) down to -1, 10 ulp down to -2,
/// and within 2.5e-7 (double: 5e-16) absolutely below 4. Minus infinity gives 0.
template <class T, std::size_t N, class Config>
    requires detail::math_float<T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> gelu(lanes<T, N, Config> x) {
    if (detail::constant_nan(x))
        return x;
    return detail::gelu_value(x);
}

/// The same for a scalar, in constant expressions too.
template <detail::math_float T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T gelu(T x) {
    return gelu(lanes<T, 1>(x))[0];
}

}  // namespace ashlar
