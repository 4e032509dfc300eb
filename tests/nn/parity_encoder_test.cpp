// SPDX-License-Identifier: BSL-1.0
// encoder against PyTorch's TransformerEncoder: whole stacks with different layers.
#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/transformers/encoder.hpp>

using namespace ashlar;

TEST(parity_encoder, two_layers) {
    const parity::fixture file("encoder");
    static nn::encoder<{.layer = {.embed = 12, .heads = 3, .hidden = 24}, .layers = 2}> m{};
    file.load(m, "e12h3_two");
    const tensor<float, 2, 6, 12> y = m(file.array<float, 2, 6, 12>("e12h3_two.in.x"));
    file.expect(y, "e12h3_two.out.y");
}

TEST(parity_encoder, three_layers_norm_first) {
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
