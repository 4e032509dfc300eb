// SPDX-License-Identifier: BSL-1.0
// multihead_attention: weights of each head, their mean, and weights in addition to the result.
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

TEST(multihead_attention_weights, weights) {
    const fixture<nn::attention_options{.embed = 16, .heads = 2}> f;
    support::random_numbers random(5);
    const auto x = random.normal<float, 2, 9, 16>();
    const auto ignored = random.truths<2, 9, 9>(0.3);
    const auto kept = [&](const reference::index& c) { return !ignored(c[0], c[2], c[3]); };
    const auto expected = state::attention(f.dict(), "", f.shape, of(x), of(x), of(x), kept);
    const auto mask = ignore(unsqueeze<1>(ignored));
    support::check(f.module(x, mask), expected.output);
    support::check(f.module.weights(x, x, mask), expected.weights);
    support::check(f.module.average_weights(x, x, mask),
                   reference::reduce(expected.weights, 1, false, reference::mean));
}

TEST(multihead_attention_weights, stored_beside_the_result) {
    const fixture<nn::attention_options{.embed = 16, .heads = 4, .kv_heads = 2}> f;
    const auto x = support::random_numbers(7).normal<float, 9, 16>();
    const auto expected = state::attention(f.dict(), "", f.shape, of(x), of(x), of(x), state::keeps_causal);
    tensor<float, 4, 9, 9> weights;
    support::spoil(weights);
    support::check(f.module.storing_weights(weights, x, x, x, causal), expected.output);
    reference::expect_near(weights, expected.weights, 2e-6);
}

}  // namespace
