// SPDX-License-Identifier: BSL-1.0
// An encoder, and a decoder over its result.
#include <tests/nn/state.hpp>

#include <ashlar/nn/transformers/decoder.hpp>
#include <ashlar/nn/transformers/encoder.hpp>

namespace {

using namespace ashlar;
using reference::of;

// Members are initialised by name: stacks are aggregates without a base.
constexpr nn::decoder<{.layer = {.embed = 4, .heads = 2, .hidden = 4}, .final_norm = true}> named{
    .layers = {}, .norm = {.weight = {1, 2, 3, 4}, .bias = {}}};
static_assert(named.norm.weight(3) == 4);

struct transformer {
    nn::encoder<{.layer = {.embed = 8, .heads = 2, .hidden = 12}, .layers = 2, .final_norm = true}> encoder;
    nn::decoder<{.layer = {.embed = 8, .heads = 2, .hidden = 12}, .layers = 2, .final_norm = true}> decoder;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("encoder", self.encoder);
        visit("decoder", self.decoder);
    }
};

TEST(decoder, over_an_encoder) {
    static transformer model{};
    state::randomise(model);
    support::random_numbers random(2);
    const auto source = random.normal<float, 9, 8>();
    const auto target = random.normal<float, 5, 8>();
    const auto d = state::of(model);
    const state::layer_shape shape{{8, 2, 2}, nn::activation::relu, false};
    auto memory = of(source);
    for (const char* i : {"0.", "1."})
        memory = state::encoder_layer(d, std::string("encoder.layers.") + i, shape, memory);
    memory = state::layer_norm(d, "encoder.norm", memory);
    auto expected = of(target);
    for (const char* i : {"0.", "1."})
        expected =
            state::decoder_layer(d, std::string("decoder.layers.") + i, shape, expected, memory, state::keeps_causal);
    expected = state::layer_norm(d, "decoder.norm", expected);

    // A call of the encoder is evaluated once, when the call of the decoder is built.
    support::check(model.decoder(target, model.encoder(source), causal), expected, 1e-5);
}

}  // namespace
