// SPDX-License-Identifier: BSL-1.0
// encoder and decoder against PyTorch's TransformerEncoder and TransformerDecoder: whole stacks with different layers.
#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/transformers/decoder.hpp>
#include <ashlar/nn/transformers/encoder.hpp>

using namespace ashlar;

TEST(parity_stacks, encoder_norm_first) {
    const parity::fixture file("encoder");
    static nn::encoder<{
        .layer = {.embed = 16, .heads = 4, .hidden = 20, .activation = nn::activation::gelu, .norm_first = true},
        .layers = 3,
        .final_norm = true}>
        m{};
    file.load(m, "e16h4_three_first");
    const tensor<float, 8, 16> y = m(file.array<float, 8, 16>("e16h4_three_first.in.x"), causal);
    file.expect(y, "e16h4_three_first.out.y");
}

TEST(parity_stacks, decoder_over_a_batch) {
    const parity::fixture file("decoder");
    static nn::decoder<{.layer = {.embed = 12, .heads = 2, .hidden = 20}, .layers = 2, .final_norm = true}> m{};
    file.load(m, "e12h2_two");
    const auto x = file.array<float, 2, 7, 12>("e12h2_two.in.x");
    const auto memory = file.array<float, 2, 5, 12>("e12h2_two.in.memory");
    const tensor<float, 2, 7, 12> y = m(x, memory, causal);
    file.expect(y, "e12h2_two.out.y");
}
