// SPDX-License-Identifier: BSL-1.0
// The shape of a speech model, and how many rows are left of its samples.
#pragma once

#include <cstddef>

namespace transcribe {

/// What a model of the family is made of, and the most that it hears and says at once.
struct speech_shape {
    std::size_t embed, heads, hidden, layers, vocabulary;
    std::size_t rotated;  ///< entries of a head that positions rotate
    std::size_t samples;  ///< 16,000 a second
    std::size_t tokens;
};

/// Moonshine tiny, for half a minute of sound: 27 million parameters.
inline constexpr speech_shape tiny{.embed = 288,
                                   .heads = 8,
                                   .hidden = 1152,
                                   .layers = 6,
                                   .vocabulary = 32768,
                                   .rotated = 32,
                                   .samples = 480'000,
                                   .tokens = 194};

/// A convolution along time, without padding.
struct window {
    std::size_t kernel, stride;

    constexpr std::size_t count(std::size_t entries) const {
        return entries < kernel ? 0 : (entries - kernel) / stride + 1;
    }
};
inline constexpr window window1{127, 64}, window2{7, 3}, window3{3, 2};

/// Rows after each of the three convolutions.
struct row_counts {
    std::size_t first, second, third;

    constexpr explicit row_counts(std::size_t samples)
        : first(window1.count(samples)), second(window2.count(first)), third(window3.count(second)) {}
};

/// The fewest samples of which something is left: 56 ms.
inline constexpr std::size_t fewest_samples =
    ((window3.kernel - 1) * window2.stride + window2.kernel - 1) * window1.stride + window1.kernel;
static_assert(row_counts(fewest_samples).third == 1 && row_counts(fewest_samples - 1).third == 0);

}  // namespace transcribe
