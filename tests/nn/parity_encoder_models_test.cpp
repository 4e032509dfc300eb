// SPDX-License-Identifier: BSL-1.0
// Encoders as Hugging Face saves them, layer by layer: BERT, DistilBERT and a vision transformer.
#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;

namespace {

constexpr nn::encoder_layer_options layer{
    .embed = 16, .heads = 2, .hidden = 24, .activation = nn::activation::gelu, .eps = 1e-12};

struct embeddings_of_words {
    nn::embedding<{.entries = 19, .size = 16}> words;
    nn::learned_positions<{.positions = 20, .size = 16}> positions;
    nn::layer_norm<{.size = 16, .eps = 1e-12}> norm;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("word_embeddings", self.words);
        visit("position_embeddings", self.positions);
        visit("LayerNorm", self.norm);
    }
};
struct distilbert {
    embeddings_of_words embeddings;
    nn::encoder<{.layer = layer, .layers = 2}> encoder;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embeddings", self.embeddings);
        visit("", self.encoder);
    }
};
struct bert : distilbert {
    nn::embedding<{.entries = 2, .size = 16}> kinds;
    nn::linear<{.in = 16, .out = 16}> pooler;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        distilbert::members(self, visit);
        visit("embeddings.token_type_embeddings", self.kinds);
        visit("pooler.dense", self.pooler);
    }
};

TEST(parity_encoder_models, bert) {
    const parity::fixture file("encoder_models");
    static bert m{};
    file.load(m, "bert", io::bert_names);
    const auto tokens = file.array<int, 13>("bert.in.tokens");
    const auto kinds = generate<int, 13>([](std::size_t i) { return i >= 5 ? 1 : 0; });
    tensor<float, 13, 16> x = m.embeddings.norm(m.embeddings.positions(m.embeddings.words(tokens)) + m.kinds(kinds));
    file.expect(x, "bert.out.embeddings");
    for (std::size_t i = 0; i < 2; ++i) {
        x = m.encoder.layers[i](x, keys_below(9));
        file.expect(x, "bert.out.layer" + std::to_string(i));
    }
    const tensor<float, 16> pooled = ashlar::tanh(m.pooler(x[0]));
    file.expect(pooled, "bert.out.pooled");
}

TEST(parity_encoder_models, distilbert) {
    const parity::fixture file("encoder_models");
    static distilbert m{};
    file.load(m, "distilbert", io::distilbert_names);
    const auto tokens = file.array<int, 13>("distilbert.in.tokens");
    tensor<float, 13, 16> x = m.embeddings.norm(m.embeddings.positions(m.embeddings.words(tokens)));
    for (std::size_t i = 0; i < 2; ++i) {
        x = m.encoder.layers[i](x, keys_below(13));  // all of them, by the code for BERT
        file.expect(x, "distilbert.out.layer" + std::to_string(i));
    }
}

TEST(parity_encoder_models, vision_transformer) {
    const parity::fixture file("encoder_models");
    constexpr nn::encoder_layer_options first{
        .embed = 16, .heads = 2, .hidden = 24, .activation = nn::activation::gelu, .norm_first = true, .eps = 1e-12};
    static nn::encoder<{.layer = first, .layers = 2, .final_norm = true}> m{};
    file.load(m, "vit", io::vit_names);
    tensor<float, 13, 16> x = file.array<float, 13, 16>("vit.in.x");
    for (std::size_t i = 0; i < 2; ++i) {
        x = m.layers[i](x);
        file.expect(x, "vit.out.layer" + std::to_string(i));
    }
    file.expect(eval(m.norm(x)), "vit.out.last");
}

}  // namespace
