// SPDX-License-Identifier: BSL-1.0
// Models as Hugging Face saves them: GPT-2, decoded with caches, a few rows at a time, and Qwen 2, layer by layer.
#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;

namespace {

struct gpt2 {
    nn::embedding<{.entries = 19, .size = 16}> embedding;
    nn::learned_positions<{.positions = 20, .size = 16}> positions;
    nn::encoder<{
        .layer = {.embed = 16, .heads = 2, .hidden = 24, .activation = nn::activation::gelu_tanh, .norm_first = true},
        .layers = 2,
        .final_norm = true}>
        blocks;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embedding", self.embedding);
        visit("positions", self.positions);
        visit("", self.blocks);
    }
};

TEST(parity_decoder_models, gpt2) {
    const parity::fixture file("decoder_models");
    static gpt2 m{};
    file.load(m, "gpt2", io::gpt2_names);
    const tensor<float, 6, 16> x = m.positions(m.embedding(file.array<int, 6>("gpt2.in.tokens")));
    tensor<float, 6, 16> y;
    static std::array<nn::kv_cache<float, 6, 2, 8>, 2> caches{};
    for (std::size_t i = 0; i < 6; i += 2)
        evaluate(tensor_view<float, 2, 16>(y.data() + 16 * i),
                 m.blocks.decode(tensor_view<const float, 2, 16>(x.data() + 16 * i), caches));
    file.expect(eval(m.embedding.scores(y)), "gpt2.out.logits");
}

struct qwen2 {
    nn::embedding<{.entries = 19, .size = 16}> embedding;
    nn::llama_decoder<{
        .block = {.embed = 16, .heads = 4, .kv_heads = 2, .head_width = 8, .hidden = 24, .eps = 1e-6, .bias = true},
        .layers = 2}>
        stack;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embedding", self.embedding);
        visit("", self.stack);
    }
};

TEST(parity_decoder_models, qwen2) {
    const parity::fixture file("decoder_models");
    static qwen2 m{};
    file.load(m, "qwen2", io::llama_names);
    constexpr auto& turn =
        nn::rope_tables<{.head_width = 8, .positions = 6, .pairs = nn::pair_order::halves, .base = 1e6}>;
    const auto tokens = file.array<int, 6>("qwen2.in.tokens");
    tensor<float, 6, 16> x = m.embedding(tokens);
    for (std::size_t i = 0; i < 2; ++i) {
        x = m.stack.layers[i](x, turn);
        file.expect(x, "qwen2.out.layer" + std::to_string(i));
    }
    file.expect(eval(m.stack.norm(x)), "qwen2.out.last");
}

}  // namespace
