// SPDX-License-Identifier: BSL-1.0
// decoder_block against loops over its state dict: causal, windowed, and in a batch with biases.
#include <tests/nn/state.hpp>

#include <ashlar/nn/positions/rope.hpp>
#include <ashlar/nn/transformers/decoder_block.hpp>

namespace {

using namespace ashlar;
using reference::of;

constexpr auto& turn = nn::rope_tables<{.head_width = 4, .positions = 16}>;

TEST(decoder_block, causal_unless_told_otherwise) {
    static nn::decoder_block<{.embed = 24, .heads = 6, .kv_heads = 2, .hidden = 20}> block{};
    state::randomise(block);
    const auto x = support::random_numbers(2).normal<float, 13, 24>();
    support::check(block(x, turn), state::decoder_block(state::of(block), "", {24, 6, 2}, of(x)), 4e-6);
    const auto window = [](const reference::index& c) { return c[2] <= c[1] && c[1] <= c[2] + 3; };
    support::check(block(x, turn, sliding_window<3, 0>),
                   state::decoder_block(state::of(block), "", {24, 6, 2}, of(x), window), 4e-6);
    EXPECT_EQ(state::of(block).size(), 9u);
    EXPECT_EQ(state::of(block).at("mlp.down_proj.weight").extents, (std::vector<std::size_t>{24, 20}));
}

TEST(decoder_block, batch) {
    static nn::decoder_block<{.embed = 8, .heads = 2, .hidden = 12, .bias = true}> block{};
    state::randomise(block);
    const auto x = support::random_numbers(3).normal<float, 2, 5, 8>();
    EXPECT_EQ(state::of(block).size(), 12u);
    support::check(block(x, turn), state::decoder_block(state::of(block), "", {8, 2, 2}, of(x)), 4e-6);
}

}  // namespace
