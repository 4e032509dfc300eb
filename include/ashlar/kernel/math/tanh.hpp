// SPDX-License-Identifier: BSL-1.0
// The hyperbolic tangent.
#pragma once

#include <ashlar/kernel/math/elementary.hpp>
#include <ashlar/kernel/math/exp.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Below 5/8 x + x^3 P(x^2), above 1 - 2/(e^(2x) + 1), as Cephes tanhf; tools/fit_math.py "tanh f32 below 0.625".
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, Width, Config> tanh_magnitude(lanes<float, Width, Config> a) {
    using Lanes = lanes<float, Width, Config>;
    a = min<>(Lanes(9.25f), a);
    const auto z = a * a;
    const auto inner = fma(a * z, horner(z, -0.005704233f, 0.02063844f, -0.053739525f, 0.1333144f, -0.3333328f), a);
    const auto power = exp2_normal(a * (2 * exp_reduction<float>::log2_e));
    return select(a > 0.625f, 1.0f - 2.0f / (power + 1.0f), inner);
}

/// Below 5/8 x - x^3 P(x^2) / (3 Q(x^2)), above 1 - 2/(e^(2x) + 1), as Cephes tanh; one division serves both.
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, Width, Config> tanh_magnitude(lanes<double, Width, Config> a) {
    using Lanes = lanes<double, Width, Config>;
    const auto large = a > 0.625;
    a = min<>(Lanes(20.0), a);
    const auto z = a * a;
    const auto p =
        z * a * (-1.0 / 3) * horner(z, 5.241286608611682e-08, 0.0007314740029936446, 0.06426246218010584, 1.0);
    const auto q = horner(z, 0.00025489340885115515, 0.024531696970274172, 0.46426246218010586, 1.0);
    const Lanes power = exp2_normal(a * (2 * exp_reduction<double>::log2_e));
    return select(large, 1.0, a) + select(large, -2.0, p) / select(large, power + 1.0, q);
}

/// x P(x^2) / Q(x^2), constant from where tanh is as close to 1 as that; tools/fit_math.py "tanh coarse".
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> tanh_coarse(lanes<Element, Width, Config> x) {
    constexpr float p[] = {0.00068073976f, 0.10282387f, 1.0f}, q[] = {0.01293145f, 0.43594223f, 1.0f};
    x = clamp(x, Element(-4.97), Element(4.97));
    const auto z = x * x;
    return x * horner(z, Element(p[0]), Element(p[1]), Element(p[2])) /
           horner(z, Element(q[0]), Element(q[1]), Element(q[2]));
}

}  // namespace detail

/// tanh(x): at most 2.5 ulp (float) or 2 ulp (double), and never beyond 1. With `fast` the relative error is at most
/// 1e-4 (5.5e-5 measured), float or double, and the result always below 1 in magnitude.
template <class Element, std::size_t Width, class Config, detail::fast_policy... Policy>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> tanh(lanes<Element, Width, Config> x,
                                                                                Policy...) {
    if (detail::constant_nan(x)) return x;
    if constexpr (sizeof...(Policy) == 0)
        return detail::with_sign(detail::tanh_magnitude(abs(x)), x);
    else
        return detail::tanh_coarse(x);
}

/// The same for a scalar, in constant expressions too.
template <detail::math_float Element, detail::fast_policy... Policy>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element tanh(Element x, Policy... policy) {
    return tanh(lanes<Element, 1>(x), policy...)[0];
}

}  // namespace ashlar
