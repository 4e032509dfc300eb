// SPDX-License-Identifier: BSL-1.0
// Layers that rotate queries and keys and add learnt numbers for distances: all rows at once, and one after the other.
#include <tests/nn/attended_rows.hpp>

namespace {

using namespace ashlar;
using reference::array;
using reference::of;
using state::attended;
using state::keep_causal;

constexpr nn::encoder_layer_options turned_layer{.embed = 24,
                                                 .heads = 3,
                                                 .norm_first = true,
                                                 .rope = {.positions = 32, .pairs = nn::pair_order::halves},
                                                 .relative_positions = {.distance = 10, .bidirectional = false}};

TEST(layer_positions_decode, encoder_layers) {
    using type = nn::encoder_layer<turned_layer>;
    static type layer{};
    state::randomise(layer);
    const auto x = support::random_numbers(6).normal<float, 19, 24>();
    const tensor<float, 19, 24> normed = layer.norm1(x);
    const array attention = attended(layer.self_attn, of(normed), of(normed), keep_causal);
    tensor<float, 19, 24> h = x;
    for (std::size_t i = 0; i < h.size(); ++i) h.data()[i] += static_cast<float>(attention.values[i]);
    const tensor<float, 19, 24> y = h + layer.feed_forward(layer.norm2(h)), found = layer(x, causal);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(found.data()[i], y.data()[i], 2e-5);
}

TEST(layer_positions_decode, encoders_decode_what_they_compute_at_once) {
    static nn::encoder<{.layer = turned_layer, .layers = 2, .final_norm = true}> model{};
    state::randomise(model);
    const auto x = support::random_numbers(7).normal<float, 21, 24>();
    const tensor<float, 21, 24> y = model(x, causal);
    static std::array<nn::kv_cache<float, 21, 3, 8>, 2> caches;
    tensor<float, 21, 24> z{};
    for (std::size_t i = 0; i < 4; ++i) {
        const tensor_view<const float, 3, 24> rows(x.data() + 3 * 24 * i);
        tensor_view<float, 3, 24>(z.data() + 3 * 24 * i) = model.decode(rows, caches);
    }
    for (std::size_t i = 12; i < 21; ++i) {
        const tensor_view<const float, 1, 24> row(x.data() + 24 * i);
        tensor_view<float, 1, 24>(z.data() + 24 * i) = model.decode(row, caches);
    }
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(z.data()[i], y.data()[i], 2e-5) << i;
}

// Queries have the positions of their keys, for one row and for several, also if only the rotation gives positions.
TEST(layer_positions_decode, rows_that_come_together_stand_one_after_the_other) {
    constexpr nn::encoder_layer_options only_turned{
        .embed = 24, .heads = 3, .hidden = 24, .rope = {.positions = 32, .pairs = nn::pair_order::halves}};
    static nn::encoder_layer<only_turned> layer{};
    state::randomise(layer);
    const auto x = support::random_numbers(9).normal<float, 9, 24>();
    const tensor<float, 9, 24> y = layer(x, causal);
    static nn::kv_cache<float, 9, 3, 8> cache;
    tensor<float, 9, 24> z{};
    const auto next = [&]<std::size_t First, std::size_t Last>() {
        slice<0, First, Last>(z) = layer.decode(slice<0, First, Last>(x), cache);
    };
    next.operator()<0, 3>();
    next.operator()<3, 4>();
    next.operator()<4, 9>();
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(z.data()[i], y.data()[i], 2e-5) << i;
}

TEST(layer_positions_decode, decoders_leave_their_memory_as_it_stands) {
    static nn::decoder_layer<turned_layer> layer{};
    static_assert(!decltype(layer.multihead_attn)::has_rope && !decltype(layer.multihead_attn)::has_relative_positions);
    static_assert(decltype(layer.self_attn)::has_rope && decltype(layer.self_attn)::has_relative_positions);
    state::randomise(layer);
    support::random_numbers random(8);
    const auto x = random.normal<float, 9, 24>();
    const auto memory = random.normal<float, 14, 24>();
    const tensor<float, 9, 24> a = x + layer.self_attn(layer.norm1(x), causal);
    const tensor<float, 9, 24> b = a + layer.multihead_attn(layer.norm2(a), memory, memory);
    const tensor<float, 9, 24> y = b + layer.feed_forward(layer.norm3(b)), found = layer(x, memory, causal);
    static nn::kv_cache<float, 9, 3, 8> cache;
    static nn::kv_cache<float, 14, 3, 8> memories;
    layer.remember(memory, memories);
    for (std::size_t i = 0; i < 9; ++i) {
        const tensor_view<const float, 1, 24> row(x.data() + 24 * i);
        const tensor<float, 1, 24> next = layer.decode(row, cache, memories);
        for (std::size_t c = 0; c < 24; ++c) {
            EXPECT_NEAR(found(i, c), y(i, c), 2e-5);
            EXPECT_NEAR(next(0, c), y(i, c), 2e-5) << i;
        }
    }
}

}  // namespace
