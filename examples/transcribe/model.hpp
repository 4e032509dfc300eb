// SPDX-License-Identifier: BSL-1.0
// Moonshine (Jeffries et al. 2024): speech to text by three convolutions, an encoder and a decoder.
#pragma once

#include <cstddef>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

#include "speech_shape.hpp"

namespace transcribe {

/// The weights, by the names for which `io::moonshine_names` knows those of Hugging Face's files. With weights of bf16
/// a token reads half the bytes.
template <speech_shape Shape, class Element = float, class Weight = Element>
struct model {
    static constexpr speech_shape options = Shape;
    static constexpr row_counts rows{Shape.samples};
    static constexpr std::size_t embed = Shape.embed, heads = Shape.heads, layers = Shape.layers,
                                 head_width = embed / heads, vocabulary = Shape.vocabulary;

    static constexpr ashlar::nn::encoder_layer_options encoder_layer{
        .embed = embed,
        .heads = heads,
        .hidden = Shape.hidden,
        .activation = ashlar::nn::activation::gelu,
        .norm_first = true,
        .attention_bias = false,
        .norm_bias = false,
        .rope = {.positions = rows.third, .rotated = Shape.rotated}};
    static constexpr ashlar::nn::decoder_layer_options decoder_layer{
        .embed = embed,
        .heads = heads,
        .hidden = Shape.hidden,
        .activation = ashlar::nn::activation::silu,
        .norm_first = true,
        .gated = true,
        .attention_bias = false,
        .norm_bias = false,
        .rope = {.positions = Shape.tokens, .rotated = Shape.rotated}};

    // Rows are times and columns channels, so that the windows of a convolution are rows as they lie.
    ashlar::nn::conv1d<{.in = 1,
                        .out = embed,
                        .kernel = window1.kernel,
                        .stride = window1.stride,
                        .bias = false,
                        .channels_last = true},
                       Element, Weight>
        conv1;
    ashlar::nn::group_norm<{.groups = 1, .channels = embed, .batch = false, .channels_last = true}, Element> groupnorm;
    ashlar::nn::conv1d<
        {.in = embed, .out = 2 * embed, .kernel = window2.kernel, .stride = window2.stride, .channels_last = true},
        Element, Weight>
        conv2;
    ashlar::nn::conv1d<
        {.in = 2 * embed, .out = embed, .kernel = window3.kernel, .stride = window3.stride, .channels_last = true},
        Element, Weight>
        conv3;
    ashlar::nn::encoder<{.layer = encoder_layer, .layers = layers, .final_norm = true}, Element, Weight> encoder;
    ashlar::nn::decoder<{.layer = decoder_layer, .layers = layers, .final_norm = true}, Element, Weight> decoder;
    ashlar::nn::embedding<{.entries = vocabulary, .size = embed}, Element, Weight> embedding;

    // What the stem computes, in four steps, of sound [samples, 1].
    template <class Sound>
    constexpr auto first(const Sound& x) const {
        return ashlar::tanh(conv1(x));
    }
    template <class Rows>
    constexpr auto normed(const Rows& x, std::size_t count) const {
        return groupnorm(x, ashlar::keys_below(count));
    }
    template <class Rows>
    constexpr auto second(const Rows& x) const {
        return ashlar::gelu(conv2(x));
    }
    template <class Rows>
    constexpr auto third(const Rows& x) const {
        return ashlar::gelu(conv3(x));
    }

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("conv1", self.conv1);
        visit("groupnorm", self.groupnorm);
        visit("conv2", self.conv2);
        visit("conv3", self.conv3);
        visit("encoder", self.encoder);
        visit("decoder", self.decoder);
        visit("embedding", self.embedding);
    }
};

/// Loads weights as Hugging Face's UsefulSensors/moonshine-tiny has them.
template <class Model>
ashlar::io::result load(Model& weights, const ashlar::io::source& file) {
    return ashlar::io::load(weights, file, ashlar::io::moonshine_names,
                            {.prefix = {}, .ignore_unexpected = true});  // the head is the embedding again
}

}  // namespace transcribe
