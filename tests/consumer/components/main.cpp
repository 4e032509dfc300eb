// SPDX-License-Identifier: BSL-1.0
// Loads a layer from a file in memory, evaluates it in the other source, and compares with the same here.
#include <cstdio>
#include <vector>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;
using layer_type = nn::linear<{.in = 8, .out = 8}>;
void attend(tensor<float, 4, 8>& y, const layer_type& layer, const tensor<float, 4, 8>& x);

int main() {
    static layer_type layer{};
    nn::init::generator random(1);
    nn::init::reset_parameters(layer, random);
    if (io::result r = io::save(layer, "layer.safetensors"); !r) return std::puts(r.message().c_str()), 1;
    static layer_type loaded{};
    if (io::result r = io::load(loaded, "layer.safetensors"); !r) return std::puts(r.message().c_str()), 1;
    const auto x = iota<float, 4, 8>();
    tensor<float, 4, 8> y, expected = attention(layer(x), x, x, causal);
    attend(y, loaded, x);
    float largest = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const float difference = y.data()[i] - expected.data()[i];
        largest = difference > largest ? difference : -difference > largest ? -difference : largest;
    }
    return largest < 1e-4f && y(0, 7) == 7.0f ? 0 : 1;  // the first query keeps the first key alone
}
