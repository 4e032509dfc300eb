// SPDX-License-Identifier: BSL-1.0
// multihead_attention: weights of each head, their mean, weights in addition to the result, and every option at once.
#include <tests/nn/state.hpp>

#include <ashlar/nn/layers/multihead_attention.hpp>

namespace {

using namespace ashlar;
using reference::of;

TEST(multihead_attention_weights, weights) {
    static nn::multihead_attention<{.embed = 16, .heads = 2}> m{};
    state::randomise(m);
    support::random_numbers random(5);
    const auto x = random.normal<float, 2, 9, 16>();
    const auto ignored = random.truths<2, 9, 9>(0.3);
    const auto kept = [&](const reference::index& c) { return !ignored(c[0], c[2], c[3]); };
    const auto expected = state::attention(state::of(m), "", {16, 2, 2}, of(x), of(x), of(x), kept).weights;
    const auto mask = ignore(unsqueeze<1>(ignored));
    support::check(m.weights(x, x, mask), expected);
    support::check(m.average_weights(x, x, mask), reference::reduce(expected, 1, false, reference::mean));
}

TEST(multihead_attention_weights, stored_beside_the_result) {
    static nn::multihead_attention<{.embed = 16, .heads = 4, .kv_heads = 2}> m{};
    state::randomise(m);
    const auto x = support::random_numbers(7).normal<float, 9, 16>();
    const auto expected = state::attention(state::of(m), "", {16, 4, 2}, of(x), of(x), of(x), state::keeps_causal);
    tensor<float, 4, 9, 9> weights;
    support::spoil(weights);
    support::check(m.storing_weights(weights, x, x, x, causal), expected.output);
    reference::expect_near(weights, expected.weights, 2e-6);
}

TEST(multihead_attention_weights, every_option_of_attention) {
    static nn::multihead_attention<{.embed = 16, .heads = 2}> m{};
    state::randomise(m);
    support::random_numbers random(6);
    const auto x = random.normal<float, 9, 16>();
    const auto added = random.normal<float, 2, 9, 9>();
    const auto by_hand =
        attention(m.queries(x), m.keys(x), m.values(x), scale(0.1f), softcap(2.0f), bias(added), sliding_window<2, 1>);
    support::check(m(x, scale(0.1f), sliding_window<2, 1>, softcap(2.0f), bias(added)),
                   of(eval(m.out_proj(nn::merge_heads(by_hand)))));
}

}  // namespace
