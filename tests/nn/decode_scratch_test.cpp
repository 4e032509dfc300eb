// SPDX-License-Identifier: BSL-1.0
// Decoding more rows at once than the stack holds: what is appended takes the scratch of the call, or a workspace.
#include <tests/nn/state.hpp>

#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/positions/rope.hpp>
#include <ashlar/nn/transformers/encoder.hpp>
#include <ashlar/nn/transformers/llama_layer.hpp>

namespace {

using namespace ashlar;

constexpr std::size_t prompt_rows = 1100, embed = 64;
static_assert(prompt_rows * embed * sizeof(float) > current_config::stack_budget);

template <class Result, class E>
void evaluate_in_workspace(Result& result, const E& e) {
    static workspace<workspace_bytes<E>> scratch;
    evaluate(result, e, scratch);
}

TEST(decode, a_prompt_beyond_the_stack_budget) {
    static nn::encoder<{.layer = {.embed = embed, .heads = 2, .hidden = 8, .norm_first = true}, .layers = 2}> blocks{};
    static std::array<nn::kv_cache<float, prompt_rows, 2, 32>, 2> caches;
    static tensor<float, prompt_rows, embed> x, all, remembered;
    state::randomise(blocks, 3, 0.1);
    support::random_numbers random(5);
    random.fill_normal(x);
    evaluate_in_workspace(all, blocks(x, causal));
    evaluate_in_workspace(remembered, blocks.decode(x, caches));
    EXPECT_EQ(caches[1].length(), prompt_rows);
    reference::expect_near(remembered, reference::of(all), 1e-4);
    // What is appended is part of the scratch.
    using call = decltype(blocks.decode(x, caches));
    using layer = std::remove_cvref_t<decltype(blocks.layers[0])>;
    constexpr std::size_t appending = layer::append_workspace_bytes<decltype(x), decltype(caches[0])>;
    static_assert(appending >= sizeof x && workspace_bytes<call> >= sizeof x + appending);
}

TEST(decode, a_layer_with_a_workspace) {
    using block = nn::llama_layer<{.embed = embed, .heads = 2, .hidden = 8}>;
    constexpr auto& turn = nn::rope_tables<{.head_width = 32, .positions = prompt_rows}>;
    static block layer{};
    static nn::kv_cache<float, prompt_rows, 2, 32> cache;
    static tensor<float, prompt_rows, embed> x, all, remembered;
    state::randomise(layer, 4, 0.1);
    support::random_numbers random(6);
    random.fill_normal(x);
    evaluate_in_workspace(all, layer(x, turn));
    static workspace<block::append_workspace_bytes<decltype(x), decltype(turn), decltype(cache)>> scratch;
    evaluate_in_workspace(remembered, layer.decode(x, turn, cache, scratch));
    reference::expect_near(remembered, reference::of(all), 1e-4);
}

}  // namespace
