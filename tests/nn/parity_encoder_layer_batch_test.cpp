// SPDX-License-Identifier: BSL-1.0
// encoder_layer on batches, norm first, with masks, against PyTorch's TransformerEncoderLayer.
#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/transformers/encoder_layer.hpp>

using namespace ashlar;
using nn::activation;

namespace {

const parity::fixture& file() {
    static const parity::fixture f("encoder_layer");
    return f;
}

}  // namespace

TEST(parity_encoder_layer, gelu_norm_first_padded_batch) {
    static nn::encoder_layer<{
        .embed = 24, .heads = 4, .hidden = 40, .activation = activation::gelu, .norm_first = true}>
        m{};
    file().load(m, "e24h4_gelu_first");
    const auto x = file().array<float, 2, 7, 24>("e24h4_gelu_first.in.x");
    const auto padding = file().array<bool, 2, 7>("e24h4_gelu_first.in.padding");
    file().expect(eval(m(x, ignore(reshape<2, 1, 1, 7>(padding)))), "e24h4_gelu_first.out.y");
}

TEST(parity_encoder_layer, sequence_first) {
    static nn::encoder_layer<{.embed = 12, .heads = 2, .hidden = 20, .norm_first = true, .batch_first = false}> m{};
    file().load(m, "e12h2_sequence_first");
    const auto x = file().array<float, 5, 3, 12>("e12h2_sequence_first.in.x");
    const auto mask = file().array<bool, 5, 5>("e12h2_sequence_first.in.mask");
    file().expect(eval(m(x, ignore(mask))), "e12h2_sequence_first.out.y");
}
