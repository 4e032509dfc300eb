// SPDX-License-Identifier: BSL-1.0
// A source without an include: its headers are precompiled, or this does not compile.
using layer_type = ashlar::nn::linear<{.in = 8, .out = 8}>;

void attend(ashlar::tensor<float, 4, 8>& y, const layer_type& layer, const ashlar::tensor<float, 4, 8>& x) {
    y = ashlar::attention(layer(x), x, x, ashlar::causal);
}
