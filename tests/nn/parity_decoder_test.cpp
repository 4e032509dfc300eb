// SPDX-License-Identifier: BSL-1.0
// decoder against PyTorch's TransformerDecoder: whole stacks with different layers.
#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/transformers/decoder.hpp>

using namespace ashlar;

TEST(parity_decoder, two_layers) {
    const parity::fixture file("decoder");
    static nn::decoder<{.layer = {.embed = 12, .heads = 2, .hidden = 20}, .layers = 2, .final_norm = true}> m{};
    file.load(m, "e12h2_two");
    const auto x = file.array<float, 2, 7, 12>("e12h2_two.in.x");
    const auto memory = file.array<float, 2, 5, 12>("e12h2_two.in.memory");
    const tensor<float, 2, 7, 12> y = m(x, memory, causal);
    file.expect(y, "e12h2_two.out.y");
}

TEST(parity_decoder, three_layers_norm_first) {
    const parity::fixture file("decoder");
    static nn::decoder<{.layer = {.embed = 16, .heads = 2, .hidden = 12, .norm_first = true}, .layers = 3}> m{};
    file.load(m, "e16h2_three_first");
    const auto x = file.array<float, 4, 16>("e16h2_three_first.in.x");
    const auto memory = file.array<float, 9, 16>("e16h2_three_first.in.memory");
    const tensor<float, 4, 16> y = m(x, memory);
    file.expect(y, "e16h2_three_first.out.y");
}
