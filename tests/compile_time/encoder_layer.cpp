// SPDX-License-Identifier: BSL-1.0
// A module: a layer of a transformer's encoder.
#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;
using rows = tensor<float, 32, 64>;

rows encode(const nn::encoder_layer<{.embed = 64, .heads = 4, .hidden = 256}>& layer, const rows& x) noexcept {
    return layer(x);
}
