// SPDX-License-Identifier: BSL-1.0
// multihead_attention: grouped heads, and [seq, batch, embed].
#include <tests/nn/state.hpp>

#include <ashlar/nn/layers/multihead_attention.hpp>

namespace {

using namespace ashlar;
using reference::array;
using reference::of;

template <class Module>
array expected(const Module& m, const array& x, const array& memory, const state::keeps& kept = state::keeps_all) {
    return state::attention(state::of(m), "", {Module::embed, Module::heads, Module::kv_heads}, x, memory, memory, kept)
        .output;
}

TEST(multihead_attention_options, grouped_queries) {
    static nn::multihead_attention<{
        .embed = 24, .heads = 6, .kv_heads = 2, .head_width = 8, .bias = false, .names = nn::attention_names::llama}>
        m{};
    static_assert(decltype(m.value)::out == 16 && decltype(m.out_proj)::in == 48);
    state::randomise(m);
    const auto x = support::random_numbers(2).normal<float, 17, 24>();
    support::check(m(x, causal), expected(m, of(x), of(x), state::keeps_causal));
}

// The sequence before the batch, and one head of keys.
TEST(multihead_attention_options, sequence_first) {
    static nn::multihead_attention<{.embed = 16, .heads = 4, .kv_heads = 1, .batch_first = false}> m{};
    state::randomise(m);
    support::random_numbers random(4);
    const auto x = random.normal<float, 9, 3, 16>();
    const auto memory = random.normal<float, 5, 3, 16>();
    static_assert(std::is_same_v<shape_of<decltype(m(x, memory, memory))>, shape_of<decltype(x)>>);
    support::check(m(x, memory, memory), state::batch_exchanged(expected(m, state::batch_exchanged(of(x)),
                                                                         state::batch_exchanged(of(memory)))));
    const auto alone = random.normal<float, 9, 16>();
    support::check(m(alone), expected(m, of(alone), of(alone)));
}

}  // namespace
