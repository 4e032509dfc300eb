// SPDX-License-Identifier: BSL-1.0
// decoder_layer against loops over its state dict: norms first and last, options of both attentions, batches.
#include <tests/nn/state.hpp>

#include <ashlar/nn/transformers/decoder_layer.hpp>

namespace {

using namespace ashlar;
using nn::activation;
using reference::of;

TEST(decoder_layer, norm_last) {
    static nn::decoder_layer<{.embed = 16, .heads = 4, .hidden = 20, .activation = activation::gelu}> layer{};
    state::randomise(layer);
    support::random_numbers random(2);
    const auto x = random.normal<float, 7, 16>();
    auto memory = random.normal<float, 11, 16>();
    // Rows behind the valid part of the memory are not read.
    for (std::size_t i = 6; i < 11; ++i)
        for (std::size_t c = 0; c < 16; ++c) memory(i, c) = std::numeric_limits<float>::quiet_NaN();
    const state::layer_shape shape{{16, 4, 4}, activation::gelu, false};
    const auto expected =
        state::decoder_layer(state::of(layer), "", shape, of(x), state::rows(of(memory), 0, 6), state::keeps_causal);
    support::check(layer(x, memory, causal, nn::cross(keys_below(6))), expected, 4e-6);
    EXPECT_EQ(state::of(layer).size(), 4u + 4u + 4u + 6u);
    EXPECT_EQ(state::of(layer).count("multihead_attn.in_proj_weight"), 1u);
}

TEST(decoder_layer, norm_first_in_a_batch) {
    static nn::decoder_layer<{.embed = 16, .heads = 2, .hidden = 20, .norm_first = true, .batch_first = false}> layer{};
    state::randomise(layer);
    support::random_numbers random(3);
    const auto x = random.normal<float, 7, 2, 16>();
    const auto memory = random.normal<float, 5, 2, 16>();
    const state::layer_shape shape{{16, 2, 2}, activation::relu, true};
    const auto expected = state::decoder_layer(state::of(layer), "", shape, state::batch_exchanged(of(x)),
                                               state::batch_exchanged(of(memory)));
    support::check(layer(x, memory), state::batch_exchanged(expected), 4e-6);
}

// The options of both attentions may come in any order.
using layer_type = nn::decoder_layer<{.embed = 24, .heads = 3}>;
template <class... Choices>
using call = decltype(std::declval<const layer_type&>()(std::declval<const tensor<float, 128, 24>&>(),
                                                        std::declval<const tensor<float, 50, 24>&>(),
                                                        std::declval<const Choices&>()...));
using other = decltype(nn::cross(sliding_window<3, 3>));
static_assert(flops<call<std::remove_const_t<decltype(causal)>, other>> ==
              flops<call<other, std::remove_const_t<decltype(causal)>>>);
static_assert(flops<call<std::remove_const_t<decltype(causal)>, other>> <
              flops<call<std::remove_const_t<decltype(causal)>>>);
static_assert(flops<call<std::remove_const_t<decltype(causal)>>> < flops<call<>>);

// Keys and values of both attentions, and then one loop.
static_assert(plan<call<>>.step_count == 3 && plan<call<>>.barrier_count == 4 && plan<call<>>.steps[2].writes_result);
static_assert(plan<call<>>.barrier_bytes == 2 * (128 + 50) * 24 * sizeof(float));

}  // namespace
