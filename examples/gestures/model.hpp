// SPDX-License-Identifier: BSL-1.0
// A model that tells gestures from 1.3 seconds of an accelerometer and a gyroscope, trained by train_gestures.py.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

namespace gestures {

inline constexpr std::size_t steps = 64, channels = 6;  // 50 readings a second: force x, y, z and turn x, y, z
inline constexpr std::size_t tokens = 16, classes = 6, embed = 32;
inline constexpr const char* class_names[classes] = {"rest", "tap", "swipe left", "swipe right", "circle", "shake"};

/// What the sensor writes: 16-bit counts, 4,096 of which are 1 g, or 250 degrees a second.
using recording = ashlar::tensor_view<const std::int16_t, steps, channels>;

using rows = ashlar::tensor<float, tokens, embed>;

/// Four readings become a token. One encoder layer over 16 of them, whose mean is classified.
struct model {
    ashlar::nn::linear<{.in = steps / tokens * channels, .out = embed}> embedding;
    ashlar::nn::learned_positions<{.positions = tokens, .size = embed}> positions;
    ashlar::nn::encoder_layer<{.embed = embed, .heads = 4, .hidden = 64}> layer;
    ashlar::nn::linear<{.in = embed, .out = classes}> classifier;

    /// What the layer reads, of a recording.
    constexpr auto embedded(const recording& counts) const {
        const auto readings = ashlar::cast<float>(counts) * (1.0f / 4096);
        return positions(embedding(ashlar::reshape<tokens, steps / tokens * channels>(readings)));
    }
    /// Scores of the classes, of what the layer makes.
    constexpr auto scores(const rows& encoded) const { return classifier(ashlar::mean<0>(encoded)); }

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embedding", self.embedding);
        visit("positions", self.positions);
        visit("layer", self.layer);
        visit("classifier", self.classifier);
    }
};

/// Recordings to try, in place of a sensor: gestures that the model was not trained on, and the scores that
/// train_gestures.py computed.
struct recordings {
    static constexpr std::size_t count = 12;

    ashlar::tensor<std::int16_t, count, steps, channels> counts;
    ashlar::tensor<std::int32_t, count> labels;
    ashlar::tensor<float, count, classes> scores;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("counts", self.counts);
        visit("labels", self.labels);
        visit("scores", self.scores);
    }
};

}  // namespace gestures
