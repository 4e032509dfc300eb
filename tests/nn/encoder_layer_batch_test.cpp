// SPDX-License-Identifier: BSL-1.0
// encoder_layer over batches: ragged ones, [seq, batch, embed], nodes as input.
#include <tests/nn/state.hpp>

#include <ashlar/nn/transformers/encoder_layer.hpp>

namespace {

using namespace ashlar;
using nn::activation;
using reference::of;

TEST(encoder_layer_batch, ragged) {
    static nn::encoder_layer<{.embed = 16, .heads = 8, .hidden = 20}> layer{};
    state::randomise(layer);
    auto x = support::random_numbers(2).normal<float, 3, 11, 16>();
    const tensor<std::int32_t, 3> lengths{11, 4, 7};
    // Entries behind the end of a sequence reach no row before it.
    for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t i = static_cast<std::size_t>(lengths(b)); i < 11; ++i)
            for (std::size_t c = 0; c < 16; ++c) x(b, i, c) = std::numeric_limits<float>::quiet_NaN();
    const auto y = support::evaluated(layer(x, keys_below(lengths)));
    const state::layer_shape shape{{16, 8, 8}, activation::relu, false};
    for (std::size_t b = 0; b < 3; ++b) {
        const auto length = static_cast<std::size_t>(lengths(b));
        const auto expected = state::encoder_layer(state::of(layer), "", shape, state::rows(of(x[b]), 0, length));
        const auto actual = state::rows(of(y[b]), 0, length);
        reference::expect_near(actual, expected, 4e-6);
    }
}

TEST(encoder_layer_batch, sequence_first) {
    static nn::encoder_layer<{
        .embed = 16, .heads = 2, .hidden = 20, .activation = activation::gelu, .batch_first = false}>
        layer{};
    state::randomise(layer);
    const auto x = support::random_numbers(3).normal<float, 9, 2, 16>();
    const state::layer_shape shape{{16, 2, 2}, activation::gelu, false};
    support::check(
        layer(x),
        state::batch_exchanged(state::encoder_layer(state::of(layer), "", shape, state::batch_exchanged(of(x)))), 4e-6);
}

TEST(encoder_layer_batch, of_an_expression) {
    static nn::encoder_layer<{.embed = 16, .heads = 2, .hidden = 20, .norm_first = true}> layer{};
    state::randomise(layer);
    const auto x = support::random_numbers(4).normal<float, 9, 16>();
    const state::layer_shape shape{{16, 2, 2}, activation::relu, true};
    support::check(layer(x + x), state::encoder_layer(state::of(layer), "", shape, reference::add(of(x), of(x))), 4e-6);
}

}  // namespace
