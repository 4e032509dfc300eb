// SPDX-License-Identifier: BSL-1.0
// multihead_attention with PyTorch's boolean masks, which are true where a key is ignored.
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
