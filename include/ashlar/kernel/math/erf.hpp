// SPDX-License-Identifier: BSL-1.0
// The error function.
#pragma once

#include <ashlar/kernel/math/elementary.hpp>
#include <ashlar/kernel/math/exp.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// x + x P(x^2) below a bound near 1, 1 - 2^-Q(x) with Q = -log2(erfc) above it, up to where erf rounds to 1;
/// tools/fit_math.py "erf f32 ...", "erf f64 ...".
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, Width, Config> erf_magnitude(lanes<float, Width, Config> a) {
    a = min<>(lanes<float, Width, Config>(4.0f), a);
    const auto inner = fma(a,
                           horner(a * a, 8.3161234e-05f, -0.0008129856f, 0.0051998924f, -0.026858935f, 0.11283687f,
                                  -0.37612632f, 0.12837917f),
                           a);
    const auto q =
        horner(a, 0.00028101893f, -0.004374132f, 0.032001544f, -0.14980617f, -0.91941434f, -1.6268f, -0.00030465904f);
    return select(a < 0.93f, inner, 1.0f - exp2_nonpositive(q));
}
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, Width, Config> erf_magnitude(lanes<double, Width, Config> a) {
    a = min<>(lanes<double, Width, Config>(6.0), a);
    const auto inner = fma(a,
                           horner(a * a, -7.779113339557136e-10, 1.371079242754309e-08, -1.6206270851071345e-07,
                                  1.6447126043471716e-06, -1.4924711860374973e-05, 0.00012055293554263202,
                                  -0.0008548325928570156, 0.00522397760610323, -0.026866170643109647,
                                  0.11283791670944174, -0.3761263890318352, 0.12837916709551256),
                           a);
    const auto q =
        horner(a, 1.514584505617031e-12, -6.920489657258118e-11, 1.4800226645468384e-09, -1.9662200471010265e-08,
               1.8137937178903194e-07, -1.2272777524132653e-06, 6.243359767488953e-06, -2.3827421382112282e-05,
               6.498367382861386e-05, -0.00010153772368979418, -6.462705571354449e-05, 0.0009249593687625561,
               -0.0025520603268740154, 0.00040459627167363065, 0.027524005482236207, -0.14823297496679586,
               -0.9184607552645994, -1.6279043790913599, -2.5893920490863113e-07);
    return select(a < 1.0, inner, 1.0 - exp2_nonpositive(q));
}

}  // namespace detail

/// erf(x): at most 1.5 ulp, 1.6 without fused multiply-adds.
template <class Element, std::size_t Width, class Config>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> erf(lanes<Element, Width, Config> x) {
    if (detail::constant_nan(x)) return x;
    return detail::with_sign(detail::erf_magnitude(abs(x)), x);
}

/// The same for a scalar, in constant expressions too.
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element erf(Element x) {
    return erf(lanes<Element, 1>(x))[0];
}

}  // namespace ashlar
