// SPDX-License-Identifier: BSL-1.0
// BART, Marian and Whisper as Hugging Face saves them, against the numbers of tools/make_model_fixtures.py.
#pragma once

#include <array>
#include <string>

#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

namespace parity {

using namespace ashlar;

enum class family { bart, marian, whisper };

template <family Family>
struct seq2seq {
    static constexpr bool is_whisper = Family == family::whisper;
    static constexpr nn::encoder_layer_options layer{.embed = 16,
                                                     .heads = 2,
                                                     .hidden = 24,
                                                     .activation = Family == family::marian ? nn::activation::silu
                                                                                            : nn::activation::gelu,
                                                     .norm_first = is_whisper,
                                                     .key_bias = !is_whisper};
    nn::embedding<{.entries = 19, .size = 16}> embedding;
    nn::learned_positions<{.positions = 20, .size = 16}> encoder_positions, decoder_positions;
    nn::layer_norm<{.size = 16}> encoder_norm, decoder_norm;
    nn::encoder<{.layer = layer, .layers = 2, .final_norm = is_whisper}> encoder;
    nn::decoder<{.layer = layer, .layers = 2, .final_norm = is_whisper}> decoder;
    tensor<float, 1, 19> final_logits_bias;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embedding", self.embedding);
        visit("encoder_positions", self.encoder_positions);
        visit("decoder_positions", self.decoder_positions);
        if constexpr (Family == family::bart) {
            visit("encoder_embedding_norm", self.encoder_norm);
            visit("decoder_embedding_norm", self.decoder_norm);
        }
        visit("encoder", self.encoder);
        visit("decoder", self.decoder);
        if constexpr (!is_whisper) visit("final_logits_bias", self.final_logits_bias);
    }
};

/// Each layer of the encoder, and what is around both stacks. Layers of the decoder: check_decoding.
template <family Family>
void check_layers(const std::string& name) {
    const parity::fixture file("bart_models");
    static seq2seq<Family> m{};
    file.load(m, name, io::bart_names);
    const float factor = Family == family::marian ? 4.0f : 1.0f;
    const std::size_t first = Family == family::bart ? 2 : 0;

    tensor<float, 13, 16> x =
        m.encoder_positions(m.embedding(file.array<int, 13>(name + ".in.source")) * factor, first);
    tensor<float, 6, 16> y = m.decoder_positions(m.embedding(file.array<int, 6>(name + ".in.target")) * factor, first);
    if constexpr (Family == family::bart) {
        x = m.encoder_norm(x);
        y = m.decoder_norm(y);
    }
    file.expect(x, name + ".out.encoder_embeddings");
    file.expect(y, name + ".out.decoder_embeddings");
    for (std::size_t i = 0; i < 2; ++i) {
        x = m.encoder.layers[i](x, keys_below(9));
        file.expect(x, name + ".out.encoder" + std::to_string(i));
    }
    if constexpr (m.is_whisper) x = m.encoder.norm(x);
    file.expect(x, name + ".out.encoder");
    tensor<float, 6, 19> logits = m.embedding.scores(file.array<float, 6, 16>(name + ".out.decoder"));
    if constexpr (!m.is_whisper) logits += m.final_logits_bias;
    file.expect(logits, name + ".out.logits");
}

/// The target by two halves, over the memory of the file.
template <family Family>
void check_decoding(const std::string& name) {
    const parity::fixture file("bart_models");
    static seq2seq<Family> m{};
    file.load(m, name, io::bart_names);
    const auto x = file.array<float, 13, 16>(name + ".out.encoder");
    const auto target = file.array<float, 6, 16>(name + ".out.decoder_embeddings");
    tensor<float, 6, 16> y;
    static std::array<nn::kv_cache<float, 8, 2, 8>, 2> caches{};
    static std::array<nn::kv_cache<float, 13, 2, 8>, 2> memories{};
    m.decoder.remember(x, memories, 9);
    for (std::size_t half = 0; half < 2; ++half) {
        const tensor_view<const float, 3, 16> rows(target.data() + half * 48);
        tensor_view<float, 3, 16>(y.data() + half * 48) = m.decoder.decode(rows, caches, memories);
    }
    file.expect(y, name + ".out.decoder");
}

}  // namespace parity
