// SPDX-License-Identifier: BSL-1.0
// The residual connection skips the layer that brings the width back.
// expect: ashlar: elementwise operation: the shapes must broadcast: from the last axis on, extents are equal or 1, and names equal; reshape, transpose or rename an operand
// expect: shape<32
// expect: 256
#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>
using namespace ashlar;

struct feed_forward {
    nn::linear<{.in = 64, .out = 256}> up;
    nn::linear<{.in = 256, .out = 64}> down;
};

void add(tensor<float, 32, 64>& y, const feed_forward& layer, const tensor<float, 32, 64>& x) {
#ifdef ASHLAR_EXPECT_ERROR
    y = x + gelu(layer.up(x));
#else
    y = x + layer.down(gelu(layer.up(x)));
#endif
}
