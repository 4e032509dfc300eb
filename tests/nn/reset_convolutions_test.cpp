// SPDX-License-Identifier: BSL-1.0
// Convolutions and norms of channels as PyTorch constructs them: nn.Conv1d and nn.Conv2d draw what nn.Linear draws
// whose inputs are those of a window, in the order [out, channels, taps].
#include <gtest/gtest.h>

#include <ashlar/nn.hpp>
#include <ashlar/nn/init/reset_parameters.hpp>

using namespace ashlar;
namespace init = nn::init;

namespace {

/// A convolution's matrix against that of a linear layer with as many inputs, from the same seed.
template <class Convolution, std::size_t Channels>
void check() {
    constexpr std::size_t depth = shape_of<decltype(Convolution::weight)>::extents[0], taps = depth / Channels;
    init::generator random(5), again(5);
    static const auto conv = init::make<Convolution>(random);
    static const auto linear = init::make<nn::linear<{.in = depth, .out = Convolution::out}>>(again);
    for (std::size_t o = 0; o < Convolution::out; ++o) {
        for (std::size_t i = 0; i < depth; ++i)
            EXPECT_EQ(conv.weight(i, o), linear.weight(i % Channels * taps + i / Channels, o)) << o << ' ' << i;
        if constexpr (Convolution::options.bias) {
            EXPECT_EQ(conv.bias(o), linear.bias(o));
        }
    }
}

}  // namespace

TEST(reset_convolutions, draw_what_linear_layers_draw) {
    check<nn::conv1d<{.in = 6, .out = 5, .kernel = 3}>, 6>();
    check<nn::conv1d<{.in = 6, .out = 4, .kernel = 7, .groups = 2}>, 3>();
    check<nn::conv1d<{.in = 8, .out = 8, .kernel = 9, .groups = 8, .bias = false}>, 1>();
    check<nn::conv2d<{.in = 3, .out = 33, .kernel = {2, 3}}>, 3>();
}

// PyTorch takes the second axis of nn.ConvTranspose1d's weights for the inputs: [in, out, kernel] as [4, 12].
TEST(reset_convolutions, transposed) {
    init::generator random(5), again(5);
    const auto up = init::make<nn::conv_transpose1d<{.in = 4, .out = 4, .kernel = 3}>>(random);
    const auto linear = init::make<nn::linear<{.in = 12, .out = 4}>>(again);
    for (std::size_t i = 0; i < 48; ++i) EXPECT_EQ(up.weight.elements[i], linear.weight(i % 12, i / 12)) << i;
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(up.bias(i), linear.bias(i)) << i;
    const auto bend = init::make<nn::prelu<{.channels = 2}>>(random);
    EXPECT_EQ(bend.weight(0), 0.25f);
    EXPECT_EQ(bend.weight(1), 0.25f);
}

// torch.manual_seed(1); nn.Conv1d(2, 4, 1, bias=False).weight[0, 0, 0] is that of nn.Linear(2, 4, bias=False)
TEST(reset_convolutions, in_constant_expressions) {
    constexpr auto pointwise = [] {
        init::generator random(1);
        return init::make<nn::conv1d<{.in = 2, .out = 4, .kernel = 1, .bias = false}>>(random);
    }();
    static_assert(pointwise.weight(0, 0) == 0.364346087f);
}

TEST(reset_convolutions, norms_pass_what_is_normal_already) {
    init::generator random(1);
    const init::generator before = random;
    const auto group = init::make<nn::group_norm<{.groups = 2, .channels = 6}>>(random);
    const auto batch = init::make<nn::batch_norm<{.channels = 3}>>(random);
    for (std::size_t c = 0; c < 6; ++c) {
        EXPECT_EQ(group.weight(c), 1.0f);
        EXPECT_EQ(group.bias(c), 0.0f);
    }
    for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(batch.weight(c), 1.0f);
        EXPECT_EQ(batch.bias(c), 0.0f);
        EXPECT_EQ(batch.running_mean(c), 0.0f);
        EXPECT_EQ(batch.running_var(c), 1.0f);
    }
    // They draw nothing.
    init::generator unused = before;
    EXPECT_EQ((init::rand<float, 4>(random)(3)), (init::rand<float, 4>(unused)(3)));
}

TEST(reset_convolutions, tables_of_relative_positions_are_embeddings) {
    init::generator random(3), other(3);
    static nn::multihead_attention<{.embed = 8, .heads = 2, .relative_positions = {.buckets = 10}}> with{};
    static nn::multihead_attention<{.embed = 8, .heads = 2}> without{};
    init::reset_parameters(with, random);
    init::reset_parameters(without, other);
    const auto table = init::randn<float, 10, 2>(other);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(with.query.weight(i, i), without.query.weight(i, i));
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(with.relative_attention_bias.weight.data()[i], table.data()[i]);
}
