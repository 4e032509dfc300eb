// SPDX-License-Identifier: BSL-1.0
// multihead_attention against PyTorch's: outputs, averaged weights and weights of each head.
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

TEST(parity_attention, one_narrow_head) {
    static nn::multihead_attention<{.embed = 4, .heads = 1}> m{};
    file().load(m, "e4h1");
    const auto x = file().array<float, 10, 4>("e4h1.in.x");
    file().expect(eval(m(x)), "e4h1.out.y");
    file().expect(eval(m.average_weights(x, x)), "e4h1.out.average");
    file().expect(eval(m.weights(x, x)), "e4h1.out.heads");
}

TEST(parity_attention, additive_mask_and_batch) {
    static nn::multihead_attention<{.embed = 12, .heads = 3}> m{};
    file().load(m, "e12h3_additive");
    const auto x = file().array<float, 2, 9, 12>("e12h3_additive.in.x");
    const auto mask = file().array<float, 9, 9>("e12h3_additive.in.mask");
    file().expect(eval(m(x, bias(mask))), "e12h3_additive.out.y");
    file().expect(eval(m.average_weights(x, x, bias(mask))), "e12h3_additive.out.average");
    file().expect(eval(m.weights(x, x, bias(mask))), "e12h3_additive.out.heads");
}
