// SPDX-License-Identifier: BSL-1.0
// encoder_layer over a ragged batch of [seq, batch, embed] that is computed.
#include <tests/nn/state.hpp>

#include <ashlar/nn/transformers/encoder_layer.hpp>

namespace {

using namespace ashlar;
using nn::activation;
using reference::of;

TEST(encoder_layer_batch, ragged_sequence_first_of_an_expression) {
    static nn::encoder_layer<{.embed = 16,
                              .heads = 8,
                              .hidden = 20,
                              .activation = activation::gelu,
                              .norm_first = true,
                              .batch_first = false}>
        layer{};
    state::randomise(layer);
    auto x = support::random_numbers(2).normal<float, 11, 3, 16>();
    const tensor<std::int32_t, 3> lengths{11, 4, 7};
    // Entries behind the end of a sequence reach no row before it.
    for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t i = static_cast<std::size_t>(lengths(b)); i < 11; ++i)
            for (std::size_t c = 0; c < 16; ++c) x(i, b, c) = std::numeric_limits<float>::quiet_NaN();
    const auto y = state::batch_exchanged(of(support::evaluated(layer(x + x, keys_below(lengths)))));
    const auto twice = state::batch_exchanged(reference::add(of(x), of(x)));
    const state::layer_shape shape{{16, 8, 8}, activation::gelu, true};
    for (std::size_t b = 0; b < 3; ++b) {
        const auto first = [&](const reference::array& all) {
            reference::array one = state::rows(all, b, 1);
            one.extents = {11, 16};
            return state::rows(one, 0, static_cast<std::size_t>(lengths(b)));
        };
        reference::expect_near(first(y), state::encoder_layer(state::of(layer), "", shape, first(twice)), 4e-6);
    }
}

}  // namespace
