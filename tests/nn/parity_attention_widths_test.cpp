// SPDX-License-Identifier: BSL-1.0
// multihead_attention of other widths against PyTorch's: separate keys and values, no biases, 96 wide.
#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/multihead_attention.hpp>

using namespace ashlar;

namespace {

const parity::fixture& file() {
    static const parity::fixture f("multihead_attention");
    return f;
}

}  // namespace

TEST(parity_attention, widths_of_keys_and_values) {
    static nn::multihead_attention<{.embed = 24, .heads = 4, .kdim = 10, .vdim = 7}> m{};
    file().load(m, "e24h4_cross");
    const auto q = file().array<float, 2, 5, 24>("e24h4_cross.in.q");
    const auto k = file().array<float, 2, 13, 10>("e24h4_cross.in.k");
    const auto v = file().array<float, 2, 13, 7>("e24h4_cross.in.v");
    const auto mask = file().array<bool, 5, 13>("e24h4_cross.in.mask");
    file().expect(eval(m(q, k, v, ignore(mask))), "e24h4_cross.out.y");
    file().expect(eval(m.average_weights(q, k, ignore(mask))), "e24h4_cross.out.average");
    file().expect(eval(m.weights(q, k, ignore(mask))), "e24h4_cross.out.heads");
}

TEST(parity_attention, no_biases_and_causal) {
    static nn::multihead_attention<{.embed = 32, .heads = 2, .bias = false}> m{};
    file().load(m, "e32h2_no_bias");
    const auto x = file().array<float, 17, 32>("e32h2_no_bias.in.x");
    file().expect(eval(m(x, causal)), "e32h2_no_bias.out.y");
    file().expect(eval(m.average_weights(x, x, causal)), "e32h2_no_bias.out.average");
}
