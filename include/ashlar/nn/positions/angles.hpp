// SPDX-License-Identifier: BSL-1.0
// Sines and cosines of positions times frequencies, in double and at compile time too: for the tables of positional
// encodings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1::nn {

/// Which entries of a row belong together: 2 i and 2 i + 1, or i and i + half of the width.
enum class pair_order : std::uint8_t { interleaved, halves };

namespace detail {

struct sine_cosine {
    double sine, cosine;
};

/// Both for |x| at most 10^6, each to about 1e-16 (polynomials and reduction of fdlibm's k_sin.c, k_cos.c,
/// e_rem_pio2.c).
template <class Config = current_config>
constexpr sine_cosine sine_and_cosine(double x) noexcept {
    const double turns = x * 6.36619772367581382433e-01;  // 2 / pi
    const auto quarter = static_cast<std::int64_t>(turns + (turns < 0 ? -0.5 : 0.5));
    const auto n = static_cast<double>(quarter);
    // Multiples of the first two parts of pi / 2, which have 33 bits, are exact.
    const double r =
        x - n * 1.57079632673412561417e+00 - n * 6.07710050630396597660e-11 - n * 2.02226624879595063154e-21;
    const double z = r * r;
    const double s = r + r * z *
                             (-1.66666666666666324348e-01 +
                              z * (8.33333333332248946124e-03 +
                                   z * (-1.98412698298579493134e-04 +
                                        z * (2.75573137070700676789e-06 +
                                             z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
    const double c =
        1 - (0.5 * z - z * z *
                           (4.16666666666666019037e-02 +
                            z * (-1.38888888888741095749e-03 +
                                 z * (2.48015872894767294178e-05 +
                                      z * (-2.75573143513906633035e-07 +
                                           z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11))))));
    switch (quarter & 3) {
    case 0: return {s, c};
    case 1: return {c, -s};
    case 2: return {-s, -c};
    default: return {-c, s};
    }
}

/// base^(-2 i / width) for i below Count.
template <std::size_t Count, class Config = current_config>
constexpr tensor<double, Count> frequencies(double base, std::size_t width) noexcept {
    return exp(iota<double, Count>() * (-2 * log(base) / static_cast<double>(width)));
}

/// Calls f(i, sine, cosine) for i = 0, 1, ... of the angles i * step, i below count. A rotation computes each from the
/// one before, which compilers evaluate much faster; every `Restart`-th angle is exact.
template <std::size_t Restart, class Function, class Config = current_config>
constexpr void for_each_angle(double step, std::size_t count, Function&& f) noexcept {
    const sine_cosine turn = sine_and_cosine(step);
    sine_cosine now{0, 1};
    for (std::size_t i = 0; i < count; ++i) {
        if (i % Restart == 0)
            now = sine_and_cosine(static_cast<double>(i) * step);
        else
            now = {now.sine * turn.cosine + now.cosine * turn.sine, now.cosine * turn.cosine - now.sine * turn.sine};
        f(i, now.sine, now.cosine);
    }
}

/// How many angles repeated rotation may compute before an element shows the error.
template <class Element>
inline constexpr std::size_t angle_restart = sizeof(Element) < 8 ? 64 : 1;

}  // namespace detail
}  // namespace ashlar::nn
