// SPDX-License-Identifier: BSL-1.0
// multihead_attention against PyTorch's with boolean masks, which are true where a key is ignored, with separate widths
// of keys and values, and without biases.
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

// The sequence before the batch; PyTorch's masks are true where a key is ignored.
TEST(parity_attention, boolean_masks) {
    static nn::multihead_attention<{.embed = 16, .heads = 8, .batch_first = false}> m{};
    file().load(m, "e16h8_boolean");
    const auto x = file().array<float, 6, 3, 16>("e16h8_boolean.in.x");
    const auto mask = file().array<bool, 6, 6>("e16h8_boolean.in.mask");
    const auto padding = file().array<bool, 3, 6>("e16h8_boolean.in.padding");
    const auto kept = ignore(mask) && ignore(reshape<3, 1, 1, 6>(padding));
    file().expect(eval(m(x, kept)), "e16h8_boolean.out.y");
    file().expect(eval(m.average_weights(x, x, kept)), "e16h8_boolean.out.average");
    file().expect(eval(m.weights(x, x, kept)), "e16h8_boolean.out.heads");
    // The same masks as types and lengths.
    const tensor<int, 3> lengths{6, 4, 1};
    file().expect(eval(m(x, causal && keys_below(lengths))), "e16h8_boolean.out.y");
}

TEST(parity_attention, widths_of_keys_and_values) {
    static nn::multihead_attention<{.embed = 24, .heads = 4, .kdim = 10, .vdim = 7}> m{};
    file().load(m, "e24h4_cross");
    const auto q = file().array<float, 2, 5, 24>("e24h4_cross.in.q");
    const auto k = file().array<float, 2, 13, 10>("e24h4_cross.in.k");
    const auto v = file().array<float, 2, 13, 7>("e24h4_cross.in.v");
    const auto mask = file().array<bool, 5, 13>("e24h4_cross.in.mask");
    file().expect(eval(m(q, k, v, ignore(mask))), "e24h4_cross.out.y");
}

TEST(parity_attention, no_biases_and_causal) {
    static nn::multihead_attention<{.embed = 32, .heads = 2, .bias = false}> m{};
    file().load(m, "e32h2_no_bias");
    const auto x = file().array<float, 17, 32>("e32h2_no_bias.in.x");
    file().expect(eval(m(x, causal)), "e32h2_no_bias.out.y");
}
