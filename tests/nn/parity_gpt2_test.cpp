// SPDX-License-Identifier: BSL-1.0
// GPT-2 as Hugging Face saves it, layer by layer, and row by row with caches.
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

TEST(parity_gpt2, layers_and_decoding) {
    const parity::fixture file("decoder_models");
    static gpt2 m{};
    file.load(m, "gpt2", io::gpt2_names);
    const auto tokens = file.array<int, 6>("gpt2.in.tokens");
    tensor<float, 6, 16> x = m.positions(m.embedding(tokens));
    for (std::size_t i = 0; i < 2; ++i) {
        x = m.blocks.layers[i](x, causal);
        file.expect(x, "gpt2.out.layer" + std::to_string(i));
    }
    file.expect(eval(m.embedding.scores(m.blocks.norm(x))), "gpt2.out.logits");

    static std::array<nn::kv_cache<float, 6, 2, 8>, 2> caches{};
    const tensor<float, 6, 16> start = m.positions(m.embedding(tokens));
    for (std::size_t i = 0; i < 6; i += 2)
        evaluate(tensor_view<float, 2, 16>(x.data() + 16 * i),
                 m.blocks.decode(tensor_view<const float, 2, 16>(start.data() + 16 * i), caches));
    file.expect(eval(m.embedding.scores(x)), "gpt2.out.logits");
}

}  // namespace
