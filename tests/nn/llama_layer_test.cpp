// SPDX-License-Identifier: BSL-1.0
// llama_layer against loops over its state dict: causal, windowed, and in a batch with biases.
#include <tests/nn/state.hpp>

#include <ashlar/nn/positions/rope.hpp>
#include <ashlar/nn/transformers/llama_layer.hpp>

namespace {

using namespace ashlar;
using reference::of;

constexpr auto& turn = nn::rope_tables<{.head_width = 4, .positions = 16}>;

TEST(llama_layer, causal_unless_told_otherwise) {
    static nn::llama_layer<{.embed = 24, .heads = 6, .kv_heads = 2, .hidden = 20}> layer{};
    state::randomise(layer);
    const auto x = support::random_numbers(2).normal<float, 13, 24>();
    support::check(layer(x, turn), state::llama_layer(state::of(layer), "", {24, 6, 2}, of(x)), 4e-6);
    const auto window = [](const reference::index& c) { return c[2] <= c[1] && c[1] <= c[2] + 3; };
    support::check(layer(x, turn, sliding_window<3, 0>),
                   state::llama_layer(state::of(layer), "", {24, 6, 2}, of(x), window), 4e-6);
    EXPECT_EQ(state::of(layer).size(), 9u);
    EXPECT_EQ(state::of(layer).at("mlp.down_proj.weight").extents, (std::vector<std::size_t>{24, 20}));
}

TEST(llama_layer, batch) {
    static nn::llama_layer<{.embed = 8, .heads = 2, .hidden = 12, .bias = true}> layer{};
    state::randomise(layer);
    const auto x = support::random_numbers(3).normal<float, 2, 5, 8>();
    EXPECT_EQ(state::of(layer).size(), 12u);
    support::check(layer(x, turn), state::llama_layer(state::of(layer), "", {8, 2, 2}, of(x)), 4e-6);
}

}  // namespace
