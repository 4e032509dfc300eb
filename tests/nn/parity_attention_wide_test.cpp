// SPDX-License-Identifier: BSL-1.0
// multihead_attention 96 wide, from one sequence to another, against PyTorch's.
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

TEST(parity_attention, wide_cross_attention) {
    static nn::multihead_attention<{.embed = 96, .heads = 8}> m{};
    file().load(m, "e96h8");
    const auto x = file().array<float, 9, 96>("e96h8.in.x");
    const auto memory = file().array<float, 4, 96>("e96h8.in.memory");
    file().expect(eval(m(x, memory, memory)), "e96h8.out.y");
    file().expect(eval(m.weights(x, memory)), "e96h8.out.heads");
}
