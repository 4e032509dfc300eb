// SPDX-License-Identifier: BSL-1.0
// A whole encoder in a constant expression.
#include <tests/nn/state.hpp>

#include <ashlar/nn/transformers/encoder.hpp>

namespace {

using namespace ashlar;

using small =
    nn::encoder<{.layer = {.embed = 4, .heads = 2, .hidden = 4, .norm_first = true}, .layers = 2, .final_norm = true}>;

constexpr small model = [] {
    small m{};
    int n = 0;
    const auto next = [&n] { return static_cast<float>((n = (n * 37 + 11) % 101) - 50) / 60; };
    for (auto& layer : m.layers) {
        for (auto* product :
             {&layer.self_attn.query, &layer.self_attn.key, &layer.self_attn.value, &layer.self_attn.out_proj})
            for (float& x : product->weight.elements) x = next();
        for (float& x : layer.feed_forward.linear1.weight.elements) x = next();
        for (float& x : layer.feed_forward.linear2.weight.elements) x = next();
        for (float& x : layer.feed_forward.linear1.bias) x = next();
        layer.norm1.weight = 1;
        layer.norm2.weight = 1;
    }
    m.norm.weight = 1;
    return m;
}();

constexpr auto input =
    generate<float, 3, 4>([](auto i, auto j) { return static_cast<float>((i * 7 + j * 3) % 5) - 2.0f; });

TEST(encoder_constant, is_what_run_time_says) {
    const auto x = input;
    const tensor<float, 3, 4> y = model(x, causal);
    auto expected = reference::of(x);
    for (const char* layer : {"layers.0.", "layers.1."})
        expected = state::encoder_layer(state::of(model), layer, {{4, 2, 2}, nn::activation::relu, true}, expected,
                                        state::keeps_causal);
    expected = state::layer_norm(state::of(model), "norm", expected);
    reference::expect_near(y, expected, 4e-6);
#ifdef __clang__  // docs/compiler_traps.md: biases in constant expressions
    constexpr tensor<float, 3, 4> output = model(input, causal);
    reference::expect_near(y, reference::of(output), 2e-6);
    reference::expect_near(output, expected, 4e-6);
#endif
}

}  // namespace
