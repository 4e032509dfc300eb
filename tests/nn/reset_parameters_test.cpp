// SPDX-License-Identifier: BSL-1.0
// Modules as PyTorch constructs them from the same seed: all bits, by hashes of the state dicts of torch 1.13.
#include <cstring>

#include <gtest/gtest.h>

#include <ashlar/module/parameters.hpp>
#include <ashlar/nn/init/reset_parameters.hpp>
#include <ashlar/nn/layers/embedding.hpp>
#include <ashlar/nn/transformers/encoder.hpp>

using namespace ashlar;
namespace init = nn::init;

namespace {

/// FNV-1a of the bytes that a weight file would hold, in the order of the names.
template <class M>
std::uint64_t hash(const M& m) {
    std::uint64_t h = 14695981039346656037u;
    nn::for_each_parameter(m, [&](const nn::const_parameter& p) {
        for (std::size_t r = 0; r < p.rows; ++r)
            for (std::size_t c = 0; c < p.columns; ++c) {
                unsigned char bytes[8];
                std::memcpy(bytes, static_cast<const char*>(p.data) + p.offset(r, c) * p.element_bytes,
                            p.element_bytes);
                for (std::size_t i = 0; i < p.element_bytes; ++i) h = (h ^ bytes[i]) * 1099511628211u;
            }
    });
    return h;
}

constexpr auto small = [] {
    init::generator random(1);
    return init::make<nn::linear<{.in = 2, .out = 4, .bias = false}>>(random);
}();
// torch.manual_seed(1); nn.Linear(2, 4, bias=False).weight[0, 0]
static_assert(small.weight(0, 0) == 0.364346087f);

struct classifier {
    nn::embedding<{.entries = 6, .size = 2}> words;
    nn::linear<{.in = 2, .out = 3}> head;
    tensor<float, 2> extra;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("words", self.words);
        visit("head", self.head);
        visit("extra", self.extra);
    }
};

}  // namespace

// torch.manual_seed(7), and then one after the other:
TEST(reset_parameters, as_pytorch_constructs_modules) {
    init::generator random(7);
    // nn.Linear(5, 7)
    EXPECT_EQ(hash(init::make<nn::linear<{.in = 5, .out = 7}>>(random)), 14481498959011553199u);
    // nn.Linear(70, 33, bias=False)
    EXPECT_EQ(hash(init::make<nn::linear<{.in = 70, .out = 33, .bias = false}>>(random)), 363163193830659372u);
    // nn.MultiheadAttention(12, 3)
    EXPECT_EQ(hash(init::make<nn::multihead_attention<{.embed = 12, .heads = 3}>>(random)), 8713670185009738593u);
    // nn.MultiheadAttention(4, 2, kdim=3, vdim=5)
    EXPECT_EQ(hash(init::make<nn::multihead_attention<{.embed = 4, .heads = 2, .kdim = 3, .vdim = 5}>>(random)),
              15256937442177012586u);
    // nn.MultiheadAttention(4, 2, bias=False)
    EXPECT_EQ(hash(init::make<nn::multihead_attention<{.embed = 4, .heads = 2, .bias = false}>>(random)),
              15683130449354303667u);
    // nn.TransformerEncoderLayer(8, 2, 20)
    EXPECT_EQ(hash(init::make<nn::encoder_layer<{.embed = 8, .heads = 2, .hidden = 20}>>(random)),
              3663007429144402129u);
    // nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 20), 3, nn.LayerNorm(8))
    EXPECT_EQ(
        hash(
            init::make<nn::encoder<{.layer = {.embed = 8, .heads = 2, .hidden = 20}, .layers = 3, .final_norm = true}>>(
                random)),
        17717243649550739278u);
    // nn.Linear(6, 4, dtype=torch.float64), whose last bits depend on fused multiply-adds
    const auto wide = init::make<nn::linear<{.in = 6, .out = 4}, double>>(random);
    EXPECT_NEAR(wide.weight(0, 0), -0.018318832080823716, 1e-16);
    EXPECT_NEAR(wide.bias(3), 0.08336267928050396, 1e-16);
}

TEST(reset_parameters, members_in_their_order) {
    init::generator random(3), same(3);
    static classifier m{};
    m.extra = 5;
    init::reset_parameters(m, random);
    const auto words = init::randn<float, 6, 2>(same);
    tensor<float, 3, 2> weight;
    init::linear_weight(weight, same);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(m.words.weight.elements[i], words.elements[i]);
    EXPECT_EQ(m.head.weight(1, 2), weight(2, 1));
    EXPECT_EQ(m.extra(1), 5);
    EXPECT_NE(m.head.bias(0), 0);
}

TEST(reset_parameters, norms_are_the_identity) {
    init::generator random(3);
    nn::layer_norm<{.size = 5}> norm{};
    init::reset_parameters(norm, random);
    EXPECT_EQ(norm.weight(4), 1);
    EXPECT_EQ(norm.bias(4), 0);
    EXPECT_EQ(random.next(), init::generator(3).next());
}
