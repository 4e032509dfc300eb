// SPDX-License-Identifier: BSL-1.0
// What the model hears: logarithms of the power in 32 bands, spaced as the ear spaces them (mel), a hundred times a
// second. All tables are made by the compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numbers>

#include <ashlar/ashlar.hpp>

namespace wake_word {

inline constexpr std::size_t frame = 512, hop = 160, bands = 32;  // samples of a frame, and between two of them

/// How many samples so many frames take.
constexpr std::size_t samples_of(std::size_t frames) { return (frames - 1) * hop + frame; }

namespace detail {

// A Fourier transform of 512 = 16 * 32 numbers in two steps (Cooley and Tukey 1965): with n = 32 n1 + n2 and
// k = k1 + 16 k2, first a sum over n1 for each k1 and n2, then a factor, then a sum over n2. Both sums are products
// with small matrices. Of real numbers k up to 256 is enough, hence k2 up to 16.
inline constexpr std::size_t outer = 16, inner = 32, halves = inner / 2 + 1;
inline constexpr std::size_t spectrum = outer * halves;  // k1 + 16 k2 at [k1, k2]; those beyond 256 have no weight

/// cos(2 pi i / n), by its series.
constexpr double cosine(std::size_t i, std::size_t n) {
    i %= n;
    if (2 * i > n) i = n - i;
    const double x = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    double term = 1, sum = 1;
    for (int k = 1; k < 15; ++k) sum += term *= -x * x / ((2 * k - 1) * 2 * k);
    return sum;
}
constexpr double sine(std::size_t i, std::size_t n) { return cosine(4 * i + 3 * n, 4 * n); }

/// Hann's window, with the factor that makes samples of -1 to 1 of 16 bits.
inline constexpr auto window = ashlar::generate<float, frame>(
    [](std::size_t n) { return static_cast<float>((0.5 - 0.5 * cosine(n, frame)) / 32768); });
/// Rows 0 to 15 give the real parts of the first step, 16 to 31 the imaginary ones.
inline constexpr auto first_step = ashlar::generate<float, 2 * outer, outer>([](std::size_t row, std::size_t n1) {
    const std::size_t turns = row % outer * n1;
    return static_cast<float>(row < outer ? cosine(turns, outer) : -sine(turns, outer));
});
inline constexpr auto factor_real = ashlar::generate<float, outer, inner>(
    [](std::size_t k1, std::size_t n2) { return static_cast<float>(cosine(k1 * n2, frame)); });
inline constexpr auto factor_imaginary = ashlar::generate<float, outer, inner>(
    [](std::size_t k1, std::size_t n2) { return static_cast<float>(-sine(k1 * n2, frame)); });
/// Real parts of n2 and then imaginary ones to real parts of k2 and then imaginary ones.
inline constexpr auto second_step =
    ashlar::generate<float, 2 * inner, 2 * halves>([](std::size_t row, std::size_t column) {
        const std::size_t turns = row % inner * (column % halves);
        const double c = cosine(turns, inner), s = sine(turns, inner);
        if (row < inner) return static_cast<float>(column < halves ? c : -s);
        return static_cast<float>(column < halves ? s : c);
    });

/// The edges of the bands in Hz, equally far apart in mel, 2595 log10(1 + f / 700), from 60 Hz to 7,600 Hz.
inline constexpr ashlar::tensor<double, bands + 2> edges = [] {
    constexpr double slope = 2595 / std::numbers::ln10;
    constexpr ashlar::tensor<double, 2> ends = slope * ashlar::log(1.0 + ashlar::tensor<double, 2>{60, 7600} / 700.0);
    const auto mel = ends(0) + (ends(1) - ends(0)) / (bands + 1) * ashlar::iota<double, bands + 2>();
    return ashlar::tensor<double, bands + 2>(700.0 * (ashlar::exp(mel / slope) - 1.0));
}();
/// The share of band b in a frequency: triangles between the edges, in the order of the spectrum.
inline constexpr ashlar::tensor<float, spectrum, bands> mel_filters = [] {
    ashlar::tensor<float, spectrum, bands> shares{};
    for (std::size_t b = 0; b < bands; ++b)
        for (std::size_t k = 1; k <= frame / 2; ++k) {
            const double hz = static_cast<double>(k) * 16000 / frame;
            if (hz <= edges(b) || hz >= edges(b + 2)) continue;
            const double up = (hz - edges(b)) / (edges(b + 1) - edges(b));
            const double down = (edges(b + 2) - hz) / (edges(b + 2) - edges(b + 1));
            shares(k % outer * halves + k / outer, b) = static_cast<float>(up < down ? up : down);
        }
    return shares;
}();

}  // namespace detail

/// The features of as many frames as the samples have, [frames, bands], lazily: from Fourier transform to logarithm in
/// one expression, frame by frame.
template <ashlar::array_expression Samples>
constexpr auto features(const Samples& samples) {
    using namespace ashlar;
    using namespace wake_word::detail;
    constexpr std::size_t frames = (Samples::extents[0] - frame) / hop + 1;
    const auto framed = cast<float>(windows<0, frame, hop>(samples)) * window;
    return let(matmul(first_step, reshape<frames, outer, inner>(framed)), [](const auto& sums) {
        const auto real = slice<1, 0, outer>(sums), imaginary = slice<1, outer, 2 * outer>(sums);
        const auto turned = concat<2>(real * factor_real - imaginary * factor_imaginary,
                                      real * factor_imaginary + imaginary * factor_real);
        return let(matmul(turned, second_step), [](const auto& parts) {
            const auto re = slice<2, 0, halves>(parts), im = slice<2, halves, 2 * halves>(parts);
            const auto power = reshape<frames, spectrum>(re * re + im * im);
            return log(matmul(power, mel_filters) + 1e-3f) * 0.25f;
        });
    });
}

}  // namespace wake_word
