// SPDX-License-Identifier: BSL-1.0
// A feed-forward block with its norm and residual, written by hand.
#include <ashlar/ashlar.hpp>

using namespace ashlar;
using rows = tensor<float, 32, 64>;

rows feed_forward(const rows& x, const tensor<float, 64, 256>& w1, const tensor<float, 256>& b1,
                  const tensor<float, 256, 64>& w2, const tensor<float, 64>& b2) noexcept {
    return x + matmul(gelu(matmul(layer_norm(x), w1) + b1), w2) + b2;
}
