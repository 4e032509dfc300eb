// SPDX-License-Identifier: BSL-1.0
// T5 whose layers have their relative positions by an option: the file's one table is loaded into each.
#include <tests/nn/t5.hpp>

namespace {

using namespace ashlar;

constexpr nn::encoder_layer_options with_positions(bool bidirectional) {
    nn::encoder_layer_options options = parity::t5<false>::layer;
    options.relative_positions = {.bidirectional = bidirectional};
    return options;
}

struct model {
    nn::embedding<{.entries = 19, .size = 16}> embedding;
    nn::encoder<{.layer = with_positions(true), .layers = 2, .final_norm = true}> encoder;
    nn::decoder<{.layer = with_positions(false), .layers = 2, .final_norm = true}> decoder;
    nn::linear<{.in = 16, .out = 19, .bias = false}> lm_head;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embedding", self.embedding);
        visit("encoder", self.encoder);
        visit("decoder", self.decoder);
        visit("lm_head", self.lm_head);
    }
};

}  // namespace

// Layers with such options compute at once what they decode: layer_positions_decode.
TEST(parity_t5_options, token_by_token) {
    const parity::fixture file("t5_models");
    static model m{};
    file.load(m, "t5", io::t5_names);
    for (const auto& layer : m.encoder.layers)
        for (std::size_t i = 0; i < 64; ++i) {
            const float number = layer.self_attn.relative_attention_bias.weight.elements[i];
            EXPECT_EQ(number, m.encoder.layers[0].self_attn.relative_attention_bias.weight.elements[i]);
            EXPECT_NE(number, 0.0f);
        }
    const auto memory = file.array<float, 13, 16>("t5.out.encoder");
    const tensor<float, 6, 16> target = m.embedding(file.array<int, 6>("t5.in.target"));
    tensor<float, 6, 16> y;
    static std::array<nn::kv_cache<float, 6, 2, 12>, 2> caches{};
    static std::array<nn::kv_cache<float, 13, 2, 12>, 2> memories{};
    m.decoder.remember(memory, memories, 9);
    for (std::size_t i = 0; i < 6; ++i) {
        const tensor_view<const float, 1, 16> row(target.data() + 16 * i);
        tensor_view<float, 1, 16>(y.data() + 16 * i) =
            m.decoder.decode(row, caches, memories, scale(1.0f), nn::cross(scale(1.0f)));
    }
    file.expect(y, "t5.out.decoder");
}
