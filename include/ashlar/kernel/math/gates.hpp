// SPDX-License-Identifier: BSL-1.0
// The gates of recurrent steps, as quotients. Each step waits for the previous one, so latency counts: exponentials
// have a short chain, and one division serves a product of several gates.
#pragma once

#include <ashlar/kernel/math/elementary.hpp>
#include <ashlar/kernel/math/exp.hpp>
#include <ashlar/kernel/math/tanh.hpp>

namespace ashlar::inline v0_1::detail {

template <class Lanes>
struct quotient {
    Lanes numerator, denominator;
};

/// 2^(factor x) within 1.5 ulp where the result is a normal number, with fewer dependent operations than `exp2_normal`;
/// NaN for NaN. The coefficients are those of `exp2_polynomial_fast`, summed in pairs.
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<float, Width, Config> exp2_short(lanes<float, Width, Config> x, float factor) {
    using Lanes = lanes<float, Width, Config>;
    const auto carrier = fence(fma(x, factor, Lanes(float_format<float>::magic)));
    const auto r = fma(x, factor, -fence(carrier - float_format<float>::magic));
    const auto square = r * r;
    const auto high = fma(fma(r, 0.0013264732f, Lanes(0.009671512f)), square, fma(r, 0.055507336f, Lanes(0.24022242f)));
    return fma(high, square, fma(r, 0.693147f, Lanes(1.0f))) * power_of_two(carrier);
}
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<double, Width, Config> exp2_short(lanes<double, Width, Config> x, double factor) {
    return exp2_normal(x * factor);
}

/// sigmoid(x) as a quotient of numbers in [0, 2]. Below -60 it is that of -60, 9e-27, whose products are not subnormal.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr quotient<lanes<Element, Width, Config>> sigmoid_quotient(
    lanes<Element, Width, Config> x) {
    using Lanes = lanes<Element, Width, Config>;
    const auto e = exp2_short(min<>(Lanes(Element(60)), abs(x)), -exp_reduction<Element>::log2_e);
    return {select(x < Element(0), e, Lanes(Element(1))), e + Element(1)};
}

/// tanh(x) as a quotient, within 6 ulp (double: 2.5), of magnitude 1 + 2^-23 at most; tools/fit_math.py "tanh f32". Its
/// terms are in [-421, 421].
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr quotient<lanes<float, Width, Config>> tanh_quotient(lanes<float, Width, Config> x) {
    using Lanes = lanes<float, Width, Config>;
    x = clamp(x, -9.01f, 9.01f);
    const Lanes z = x * x;
    return {x * horner(z, 1.3384251e-08f, 2.0635789e-05f, 0.0034974555f, 0.13382685f, 1.0f),
            horner(z, 7.790232e-07f, 0.0003288514f, 0.025884353f, 0.46716008f, 1.0f)};
}
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr quotient<lanes<double, Width, Config>> tanh_quotient(lanes<double, Width, Config> x) {
    return {tanh(x), lanes<double, Width, Config>(1.0)};
}

/// The next c of an LSTM: sigmoid(f) * c + sigmoid(i) * tanh(g).
template <class Lanes>
ASHLAR_ALWAYS_INLINE constexpr Lanes lstm_memory(Lanes i, Lanes f, Lanes g, Lanes c) {
    const auto input = sigmoid_quotient(i), forget = sigmoid_quotient(f), cell = tanh_quotient(g);
    const Lanes below = input.denominator * cell.denominator;
    return fma(forget.numerator * c, below, input.numerator * cell.numerator * forget.denominator) /
           (below * forget.denominator);
}

/// The output of an LSTM: sigmoid(o) * tanh(c).
template <class Lanes>
ASHLAR_ALWAYS_INLINE constexpr Lanes lstm_output(Lanes o, Lanes c) {
    const auto output = sigmoid_quotient(o), shown = tanh_quotient(c);
    return output.numerator * shown.numerator / (output.denominator * shown.denominator);
}

/// The next h of a GRU: n + sigmoid(z) * (h - n) with n = tanh(x + sigmoid(r) * y).
template <class Lanes>
ASHLAR_ALWAYS_INLINE constexpr Lanes gru_output(Lanes r, Lanes z, Lanes x, Lanes y, Lanes h) {
    const auto reset = sigmoid_quotient(r), update = sigmoid_quotient(z);
    const auto next = tanh_quotient(fma(y, reset.numerator / reset.denominator, x));
    return fma(update.numerator, fma(h, next.denominator, -next.numerator), next.numerator * update.denominator) /
           (next.denominator * update.denominator);
}

}  // namespace ashlar::inline v0_1::detail
