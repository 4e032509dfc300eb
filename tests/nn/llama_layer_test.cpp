// SPDX-License-Identifier: BSL-1.0
// llama_layer against loops over its state dict: with a window, biases and grouped heads, in a batch.
#include <tests/nn/state.hpp>

#include <ashlar/nn/positions/rope.hpp>
#include <ashlar/nn/transformers/llama_layer.hpp>

namespace {

using namespace ashlar;
using reference::of;

constexpr auto& turn = nn::rope_tables<{.head_width = 4, .positions = 16}>;

// Causal where nothing else is said: llama_decoder_test.
TEST(llama_layer, window_and_biases_in_a_batch) {
    static nn::llama_layer<{.embed = 24, .heads = 6, .kv_heads = 2, .hidden = 20, .bias = true}> layer{};
    state::randomise(layer);
    const auto x = support::random_numbers(2).normal<float, 2, 13, 24>();
    const auto window = [](const reference::index& c) { return c[3] <= c[2] && c[2] <= c[3] + 3; };
    const auto d = state::of(layer);
    support::check(layer(x, turn, sliding_window<3, 0>), state::llama_layer(d, "", {24, 6, 2}, of(x), window), 4e-6);
    EXPECT_EQ(d.size(), 12u);
    EXPECT_EQ(d.at("mlp.down_proj.weight").extents, (std::vector<std::size_t>{24, 20}));
}

}  // namespace
