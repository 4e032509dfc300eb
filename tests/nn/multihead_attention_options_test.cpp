// SPDX-License-Identifier: BSL-1.0
// multihead_attention: grouped heads, and [seq, batch, embed].
#include <tests/nn/state.hpp>

#include <ashlar/nn/layers/multihead_attention.hpp>

namespace {

using namespace ashlar;
using reference::of;

template <nn::attention_options Options>
struct fixture {
    nn::multihead_attention<Options> module{};
    fixture() { state::randomise(module); }
    state::dict dict() const { return state::of(module); }
    static constexpr state::attention_shape shape{nn::multihead_attention<Options>::embed,
                                                  nn::multihead_attention<Options>::heads,
                                                  nn::multihead_attention<Options>::kv_heads};
};

TEST(multihead_attention_options, grouped_queries) {
    const fixture<nn::attention_options{
        .embed = 24, .heads = 6, .kv_heads = 2, .head_width = 8, .bias = false, .names = nn::attention_names::llama}>
        f;
    const auto x = support::random_numbers(2).normal<float, 17, 24>();
    static_assert(f.module.value.out == 16 && f.module.out_proj.in == 48);
    support::check(f.module(x, causal),
                   state::attention(f.dict(), "", f.shape, of(x), of(x), of(x), state::keeps_causal).output);
}

TEST(multihead_attention_options, one_head_of_keys) {
    const fixture<nn::attention_options{.embed = 16, .heads = 4, .kv_heads = 1}> f;
    const auto x = support::random_numbers(3).normal<float, 2, 9, 16>();
    support::check(f.module(x), state::attention(f.dict(), "", f.shape, of(x), of(x), of(x)).output);
}

TEST(multihead_attention_options, sequence_first) {
    const fixture<nn::attention_options{.embed = 16, .heads = 2, .batch_first = false}> f;
    support::random_numbers random(4);
    const auto x = random.normal<float, 9, 3, 16>();
    const auto memory = random.normal<float, 5, 3, 16>();
    static_assert(std::is_same_v<shape_of<decltype(f.module(x, memory, memory))>, shape_of<decltype(x)>>);
    const auto q = state::batch_exchanged(of(x)), k = state::batch_exchanged(of(memory));
    support::check(f.module(x, memory, memory),
                   state::batch_exchanged(state::attention(f.dict(), "", f.shape, q, k, k).output));
    const auto alone = random.normal<float, 9, 16>();
    support::check(f.module(alone), state::attention(f.dict(), "", f.shape, of(alone), of(alone), of(alone)).output);
}

}  // namespace
