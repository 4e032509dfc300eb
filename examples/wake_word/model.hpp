// SPDX-License-Identifier: BSL-1.0
// A model that tells three words from all else, in a second of sound; trained by train_wake_word.py.
#pragma once

#include <cstddef>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

#include "features.hpp"

namespace wake_word {

inline constexpr std::size_t classes = 4, embed = 32, tokens = 24;
inline constexpr const char* class_names[classes] = {"-", "ashlar", "lintel", "mortar"};

/// Frames between two tokens, frames that a token hears, and frames and samples of a window.
inline constexpr std::size_t frames_per_token = 4, window_frames = (tokens - 1) * frames_per_token + 7;
inline constexpr std::size_t step = frames_per_token * hop, window_samples = samples_of(window_frames);

using scores = ashlar::tensor<float, classes>;

/// Two convolutions make a token of each 40 ms; an encoder layer looks at the 24 latest, whose mean is classified.
struct model {
    ashlar::nn::conv1d<{.in = bands, .out = embed, .kernel = 3, .stride = 2, .channels_last = true}> conv1;
    ashlar::nn::conv1d<{.in = embed, .out = embed, .kernel = 3, .stride = 2, .channels_last = true}> conv2;
    ashlar::nn::learned_positions<{.positions = tokens, .size = embed}> positions;
    ashlar::nn::encoder_layer<{.embed = embed, .heads = 4, .hidden = 64}> layer;
    ashlar::nn::linear<{.in = embed, .out = classes}> classifier;

    /// Both halves of the stem, of [time, channels].
    template <class Frames>
    constexpr auto first_half(const Frames& x) const {
        return ashlar::relu(conv1(x));
    }
    template <class Rows>
    constexpr auto second_half(const Rows& x) const {
        return ashlar::relu(conv2(x));
    }
    /// Scores of the classes, of tokens [24, 32].
    template <class Tokens>
    constexpr auto scored(const Tokens& x) const {
        return classifier(ashlar::mean<0>(layer(positions(x))));
    }

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("conv1", self.conv1);
        visit("conv2", self.conv2);
        visit("positions", self.positions);
        visit("layer", self.layer);
        visit("classifier", self.classifier);
    }
};

}  // namespace wake_word
