// SPDX-License-Identifier: BSL-1.0
// Qwen 2 as Hugging Face saves it, layer by layer.
#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;

namespace {

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

TEST(parity_qwen2, layers) {
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
