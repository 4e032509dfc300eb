// SPDX-License-Identifier: BSL-1.0
// decoder_layer against loops over its state dict: norms last, options of both attentions, sequences first.
#include <tests/nn/state.hpp>

#include <ashlar/nn/transformers/decoder_layer.hpp>

namespace {

using namespace ashlar;
using nn::activation;
using reference::of;

TEST(decoder_layer, norm_last_with_sequences_first) {
    static nn::decoder_layer<{
        .embed = 16, .heads = 4, .hidden = 20, .activation = activation::gelu, .batch_first = false}>
        layer{};
    state::randomise(layer);
    support::random_numbers random(2);
    const auto x = random.normal<float, 7, 2, 16>();
    auto memory = random.normal<float, 11, 2, 16>();
    const auto valid = state::rows(of(memory), 0, 6);
    // Rows behind the valid part of the memory are not read.
    for (std::size_t i = 6 * 2 * 16; i < memory.size(); ++i) memory.data()[i] = std::numeric_limits<float>::quiet_NaN();
    const auto expected =
        state::decoder_layer(state::of(layer), "", {{16, 4, 4}, activation::gelu, false}, state::batch_exchanged(of(x)),
                             state::batch_exchanged(valid), state::keeps_causal);
    support::check(layer(x, memory, causal, nn::cross(keys_below(6))), state::batch_exchanged(expected), 4e-6);
    EXPECT_EQ(state::of(layer).size(), 4u + 4u + 4u + 6u);
    EXPECT_EQ(state::of(layer).count("multihead_attn.in_proj_weight"), 1u);
}

// The options of both attentions may come in any order.
using layer_type = nn::decoder_layer<{.embed = 24, .heads = 3}>;
template <class... Choices>
using call = decltype(std::declval<const layer_type&>()(std::declval<const tensor<float, 128, 24>&>(),
                                                        std::declval<const tensor<float, 50, 24>&>(),
                                                        std::declval<const Choices&>()...));
using own = std::remove_const_t<decltype(causal)>;
using other = decltype(nn::cross(sliding_window<3, 3>));
static_assert(flops<call<own, other>> == flops<call<other, own>> && flops<call<own, other>> < flops<call<own>>);

// Keys and values of both attentions, and then one loop.
static_assert(plan<call<own>>.step_count == 3 && plan<call<own>>.barrier_count == 4 &&
              plan<call<own>>.steps[2].writes_result);
static_assert(plan<call<own>>.barrier_bytes == 2 * (128 + 50) * 24 * sizeof(float));

}  // namespace
