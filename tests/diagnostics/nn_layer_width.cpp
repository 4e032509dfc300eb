// SPDX-License-Identifier: BSL-1.0
// An encoder layer takes inputs of width embed.
// expect: ashlar: nn: the last axis of the input must be as wide as the module's options say; change one
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/transformers/encoder_layer.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
void encode(tensor<float, 4, 32>& y, const tensor<float, 4, 32>& x,
            const nn::encoder_layer<{.embed = 64, .heads = 4}>& layer) {
#else
void encode(tensor<float, 4, 32>& y, const tensor<float, 4, 32>& x,
            const nn::encoder_layer<{.embed = 32, .heads = 4}>& layer) {
#endif
    y = layer(x);
}
