// SPDX-License-Identifier: BSL-1.0
// decoder_layer against PyTorch's TransformerDecoderLayer.
#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/transformers/decoder_layer.hpp>

using namespace ashlar;

TEST(parity_decoder_layer, relu_norm_last) {
    const parity::fixture file("decoder_layer");
    static nn::decoder_layer<{.embed = 12, .heads = 2, .hidden = 20}> m{};
    file.load(m, "e12h2_relu");
    const auto x = file.array<float, 7, 12>("e12h2_relu.in.x");
    const auto memory = file.array<float, 5, 12>("e12h2_relu.in.memory");
    file.expect(eval(m(x, memory, causal)), "e12h2_relu.out.y");
}

TEST(parity_decoder_layer, gelu_norm_first_padded_memory) {
    const parity::fixture file("decoder_layer");
    static nn::decoder_layer<{
        .embed = 32, .heads = 4, .hidden = 24, .activation = nn::activation::gelu, .norm_first = true}>
        m{};
    file.load(m, "e32h4_gelu_first");
    const auto x = file.array<float, 2, 6, 32>("e32h4_gelu_first.in.x");
    const auto memory = file.array<float, 2, 9, 32>("e32h4_gelu_first.in.memory");
    const auto padding = file.array<bool, 2, 9>("e32h4_gelu_first.in.memory_padding");
    file.expect(eval(m(x, memory, causal, nn::cross(ignore(reshape<2, 1, 1, 9>(padding))))), "e32h4_gelu_first.out.y");
}
