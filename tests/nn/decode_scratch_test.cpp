// SPDX-License-Identifier: BSL-1.0
// Decoding more rows at once than the stack holds: what is appended takes the scratch of the call, or a workspace.
#include <tests/nn/state.hpp>

#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/positions/rope.hpp>
#include <ashlar/nn/transformers/encoder.hpp>
#include <ashlar/nn/transformers/llama_layer.hpp>

namespace {

using namespace ashlar;
using reference::of;

constexpr std::size_t prompt_rows = 270, embed = 256;
static_assert(prompt_rows * embed * sizeof(float) > current_config::stack_budget);
using input = tensor<float, prompt_rows, embed>;
using cache_type = nn::kv_cache<float, prompt_rows, 4, 64>;

template <class E>
void expect_in_workspace(const E& e, const reference::array& expected) {
    static workspace<workspace_bytes<E>> scratch;
    static input found;
    evaluate(found, e, scratch);
    reference::expect_near(found, expected, 1e-4);
}

TEST(decode, a_prompt_beyond_the_stack_budget) {
    static nn::encoder<{.layer = {.embed = embed, .heads = 4, .hidden = 8, .norm_first = true}, .layers = 2}> blocks{};
    static std::array<cache_type, 2> caches;
    static input x;
    state::randomise(blocks, 3, 0.1);
    support::random_numbers(5).fill_normal(x);
    auto expected = of(x);
    for (const char* layer : {"layers.0.", "layers.1."})
        expected = state::encoder_layer(state::of(blocks), layer, {{embed, 4, 4}, nn::activation::relu, true}, expected,
                                        state::keeps_causal);
    expect_in_workspace(blocks.decode(x, caches), expected);
    EXPECT_EQ(caches[1].length(), prompt_rows);
    // What is appended is part of the scratch.
    using call = decltype(blocks.decode(x, caches));
    using layer = std::remove_cvref_t<decltype(blocks.layers[0])>;
    constexpr std::size_t appending = layer::append_workspace_bytes<decltype(x), decltype(caches[0])>;
    static_assert(appending >= sizeof x && workspace_bytes<call> >= sizeof x + appending);
}

TEST(decode, a_layer_with_a_workspace) {
    using block = nn::llama_layer<{.embed = embed, .heads = 4, .hidden = 8}>;
    constexpr auto& turn = nn::rope_tables<{.head_width = 64, .positions = prompt_rows}>;
    static block layer{};
    static cache_type cache;
    static input x;
    state::randomise(layer, 4, 0.1);
    support::random_numbers(6).fill_normal(x);
    static workspace<block::append_workspace_bytes<input, decltype(turn), cache_type>> scratch;
    expect_in_workspace(layer.decode(x, turn, cache, scratch),
                        state::llama_layer(state::of(layer), "", {embed, 4, 4}, of(x)));
}

}  // namespace
