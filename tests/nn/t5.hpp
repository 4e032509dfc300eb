// SPDX-License-Identifier: BSL-1.0
// T5 and T5 1.1 as Hugging Face saves them, against the numbers of tools/make_model_fixtures.py.
#pragma once

#include <array>
#include <string>

#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

namespace parity {

using namespace ashlar;

template <bool Gated>
struct t5 {
    static constexpr nn::encoder_layer_options layer{.embed = 16,
                                                     .heads = 2,
                                                     .hidden = 24,
                                                     .activation =
                                                         Gated ? nn::activation::gelu_tanh : nn::activation::relu,
                                                     .norm_first = true,
                                                     .bias = false,
                                                     .eps = 1e-6,
                                                     .head_width = 12,
                                                     .gated = Gated,
                                                     .norm = nn::norm_kind::rms};
    nn::embedding<{.entries = 19, .size = 16}> embedding;
    nn::relative_positions<{.heads = 2}> encoder_positions;
    nn::relative_positions<{.heads = 2, .bidirectional = false}> decoder_positions;
    nn::encoder<{.layer = layer, .layers = 2, .final_norm = true}> encoder;
    nn::decoder<{.layer = layer, .layers = 2, .final_norm = true}> decoder;
    nn::linear<{.in = 16, .out = 19, .bias = false}> lm_head;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embedding", self.embedding);
        visit("encoder_positions", self.encoder_positions);
        visit("decoder_positions", self.decoder_positions);
        visit("encoder", self.encoder);
        visit("decoder", self.decoder);
        visit("lm_head", self.lm_head);
    }
};

/// Each layer of the encoder; returns the memory.
template <bool Gated>
tensor<float, 13, 16> check_encoder(const parity::fixture& file, const t5<Gated>& m, const std::string& name) {
    const auto in_encoder = m.encoder_positions.template table<13, 13>();
    tensor<float, 13, 16> x = m.embedding(file.array<int, 13>(name + ".in.source"));
    for (std::size_t i = 0; i < 2; ++i) {
        x = m.encoder.layers[i](x, scale(1.0f), bias(in_encoder.bias()), keys_below(9));
        file.expect(x, name + ".out.encoder" + std::to_string(i));
    }
    const tensor<float, 13, 16> memory = m.encoder.norm(x);
    file.expect(memory, name + ".out.encoder");
    return memory;
}

/// Each layer, and what is around them.
template <bool Gated>
void check_layers(const std::string& name) {
    const parity::fixture file("t5_models");
    static t5<Gated> m{};
    file.load(m, name, io::t5_names);
    const tensor<float, 13, 16> memory = check_encoder(file, m, name);
    const auto in_decoder = m.decoder_positions.template table<6, 6>();
    const auto of_memory = nn::cross(scale(1.0f), keys_below(9));
    tensor<float, 6, 16> y = m.embedding(file.array<int, 6>(name + ".in.target"));
    for (std::size_t i = 0; i < 2; ++i) {
        y = m.decoder.layers[i](y, memory, scale(1.0f), bias(in_decoder.bias()), causal, of_memory);
        file.expect(y, name + ".out.decoder" + std::to_string(i));
    }
    y = m.decoder.norm(y);
    file.expect(y, name + ".out.decoder");
    file.expect(eval(m.lm_head(y)), name + ".out.logits");
}

/// The target token by token.
template <bool Gated>
void check_decoding(const std::string& name) {
    const parity::fixture file("t5_models");
    static t5<Gated> m{};
    file.load(m, name, io::t5_names);
    const auto in_decoder = m.decoder_positions.template table<6, 6>();
    const tensor<float, 13, 16> memory = check_encoder(file, m, name);
    const tensor<float, 6, 16> target = m.embedding(file.array<int, 6>(name + ".in.target"));
    tensor<float, 6, 16> y;
    static std::array<nn::kv_cache<float, 6, 2, 12>, 2> caches{};
    static std::array<nn::kv_cache<float, 13, 2, 12>, 2> memories{};
    m.decoder.remember(memory, memories, 9);
    for (std::size_t i = 0; i < 6; ++i) {
        const tensor_view<const float, 1, 16> row(target.data() + 16 * i);
        const tensor<float, 1, 16> next = m.decoder.decode(
            row, caches, memories, scale(1.0f), bias(in_decoder.template bias<1>(i)), nn::cross(scale(1.0f)));
        y[i] = next[0];
    }
    file.expect(y, name + ".out.decoder");
    const float factor = Gated ? 1.0f : 0.25f;  // where the head is the embedding, the values are scaled
    file.expect(eval(m.lm_head(y * factor)), name + ".out.logits");
}

}  // namespace parity
