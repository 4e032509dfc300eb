// SPDX-License-Identifier: BSL-1.0
// encoder_layer against PyTorch's TransformerEncoderLayer.
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

TEST(parity_encoder_layer, relu_norm_last) {
    static nn::encoder_layer<{.embed = 4, .heads = 1, .hidden = 16}> m{};
    file().load(m, "e4h1_relu");
    file().expect(eval(m(file().array<float, 10, 4>("e4h1_relu.in.x"))), "e4h1_relu.out.y");
}

TEST(parity_encoder_layer, gelu_norm_last_wide) {
    static nn::encoder_layer<{.embed = 64, .heads = 8, .hidden = 32, .activation = activation::gelu, .eps = 1e-3}> m{};
    file().load(m, "e64h8_gelu");
    file().expect(eval(m(file().array<float, 11, 64>("e64h8_gelu.in.x"))), "e64h8_gelu.out.y");
}
