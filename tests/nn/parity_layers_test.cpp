// SPDX-License-Identifier: BSL-1.0
// encoder_layer, norm last, and decoder_layer, norm first and with a padded memory, against PyTorch's.
#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/transformers/decoder_layer.hpp>
#include <ashlar/nn/transformers/encoder_layer.hpp>

using namespace ashlar;

TEST(parity_layers, encoder_gelu_norm_last) {
    const parity::fixture file("encoder_layer");
    static nn::encoder_layer<{.embed = 64, .heads = 8, .hidden = 32, .activation = nn::activation::gelu, .eps = 1e-3}>
        m{};
    file.load(m, "e64h8_gelu");
    file.expect(eval(m(file.array<float, 11, 64>("e64h8_gelu.in.x"))), "e64h8_gelu.out.y");
}

TEST(parity_layers, decoder_gelu_norm_first_padded_memory) {
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
