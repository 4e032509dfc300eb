// SPDX-License-Identifier: BSL-1.0
// Layers that rotate queries and keys and add learnt numbers for distances: all rows at once, and decoded.
#include <tests/nn/attended_rows.hpp>

namespace {

using namespace ashlar;
using reference::array;
using reference::of;
using state::attended;
using state::encoded;
using state::keep_causal;

constexpr nn::encoder_layer_options turned_layer{.embed = 16,
                                                 .heads = 2,
                                                 .hidden = 16,
                                                 .norm_first = true,
                                                 .rope = {.positions = 32, .pairs = nn::pair_order::halves},
                                                 .relative_positions = {.distance = 10, .bidirectional = false}};
using sequence = tensor<float, 21, 16>;

/// Rows [first, last), `Rows` of them together.
template <std::size_t Rows, class Decode>
void decode(sequence& y, const sequence& x, std::size_t first, std::size_t last, const Decode& next) {
    for (std::size_t i = first; i < last; i += Rows)
        tensor_view<float, Rows, 16>(y.data() + 16 * i) = next(tensor_view<const float, Rows, 16>(x.data() + 16 * i));
}

TEST(layer_positions_decode, encoder_layers) {
    static nn::encoder_layer<turned_layer> layer{};
    state::randomise(layer);
    const auto x = support::random_numbers(7).normal<float, 21, 16>();
    const array expected = encoded(layer, of(x), keep_causal);
    sequence y = layer(x, causal);
    reference::expect_near(y, expected, 4e-6);
    static nn::kv_cache<float, 21, 2, 8> cache;
    const auto next = [](const auto& rows) { return layer.decode(rows, cache); };
    decode<3>(y, x, 0, 12, next);
    decode<1>(y, x, 12, 18, next);
    decode<3>(y, x, 18, 21, next);
    reference::expect_near(y, expected, 4e-6);
}

// Queries have the positions of their keys, also if only the rotation gives positions.
TEST(layer_positions_decode, rotation_alone) {
    static nn::encoder_layer<{
        .embed = 16, .heads = 2, .hidden = 16, .rope = {.positions = 32, .pairs = nn::pair_order::halves}}>
        layer{};
    state::randomise(layer);
    const auto x = support::random_numbers(9).normal<float, 21, 16>();
    static nn::kv_cache<float, 21, 2, 8> cache;
    sequence y;
    decode<3>(y, x, 0, 21, [](const auto& rows) { return layer.decode(rows, cache); });
    reference::expect_near(y, encoded(layer, of(x), keep_causal), 4e-6);
}

TEST(layer_positions_decode, decoders_leave_their_memory_as_it_stands) {
    static nn::decoder_layer<turned_layer> layer{};
    static_assert(!decltype(layer.multihead_attn)::has_rope && !decltype(layer.multihead_attn)::has_relative_positions);
    static_assert(decltype(layer.self_attn)::has_rope && decltype(layer.self_attn)::has_relative_positions);
    state::randomise(layer);
    support::random_numbers random(8);
    const auto x = random.normal<float, 21, 16>(), memory = random.normal<float, 21, 16>();
    const state::dict d = state::of(layer);
    const auto normed = [&](const char* name, const array& rows) { return state::layer_norm(d, name, rows); };
    const array from = normed("norm1", of(x)),
                a = reference::add(of(x), attended(layer.self_attn, from, from, keep_causal)),
                b = reference::add(a, attended(layer.multihead_attn, normed("norm2", a), of(memory), state::keep_all)),
                c = reference::add(b, state::feed_forward(d, "", nn::activation::relu, normed("norm3", b)));
    static nn::kv_cache<float, 21, 2, 8> cache, memories;
    layer.remember(memory, memories);
    sequence y;
    decode<1>(y, x, 0, 21, [](const auto& row) { return layer.decode(row, cache, memories); });
    reference::expect_near(y, c, 4e-6);
}

}  // namespace
