// SPDX-License-Identifier: BSL-1.0
// Layers that decode over caches in 8 bits: close to loops in double, and not equal.
#include <cmath>

#include <tests/nn/attended_rows.hpp>

namespace {

using namespace ashlar;
using reference::array;
using reference::of;

/// A result near the exact one, but not the same.
[[gnu::noinline]] void expect_rounded(const array& found, const array& expected) {
    ASSERT_EQ(found.extents, expected.extents);
    double ab = 0, aa = 0, bb = 0, most = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double a = found.values[i], b = expected.values[i];
        ab += a * b, aa += a * a, bb += b * b;
        most = std::fmax(most, std::abs(a - b));
    }
    EXPECT_GE(ab / std::sqrt(aa * bb), 0.999);
    EXPECT_GT(most, 1e-4) << "nothing was rounded";
}

TEST(bytes_decode, rotation_and_grouped_queries) {
    static nn::llama_layer<{.embed = 16, .heads = 4, .kv_heads = 2, .hidden = 16}> layer{};
    constexpr auto& turn = nn::rope_tables<{.head_width = 4, .positions = 32}>;
    state::randomise(layer);
    static nn::kv_cache<std::int8_t, 23, 2, 4> cache{};
    const auto x = support::random_numbers(3).normal<float, 23, 16>();
    tensor<float, 23, 16> y;
    tensor_view<float, 9, 16>(y.data()) = layer.decode(tensor_view<const float, 9, 16>(x.data()), turn, cache);
    for (std::size_t i = 9; i < 23; ++i)
        tensor_view<float, 1, 16>(y.data() + 16 * i) =
            layer.decode(tensor_view<const float, 1, 16>(x.data() + 16 * i), turn, cache);
    EXPECT_TRUE(cache.full());
    expect_rounded(of(y), state::llama_layer(state::of(layer), "", {16, 4, 2}, of(x)));
}

TEST(bytes_decode, a_memory_is_remembered_in_8_bits) {
    static nn::decoder_layer<{.embed = 16, .heads = 2, .hidden = 16}> layer{};
    state::randomise(layer);
    static nn::kv_cache<std::int8_t, 16, 2, 8> own{};
    static nn::kv_cache<std::int8_t, 20, 2, 8> memories{};
    const auto memory = support::random_numbers(1).normal<float, 20, 16>();
    static workspace<decltype(layer)::remember_workspace_bytes<decltype(memory), decltype(memories)>> scratch;
    layer.remember(memory, memories, 17, scratch);
    const auto x = support::random_numbers(2).normal<float, 5, 16>();
    tensor<float, 5, 16> y;
    for (std::size_t i = 0; i < 5; ++i)
        tensor_view<float, 1, 16>(y.data() + 16 * i) =
            layer.decode(tensor_view<const float, 1, 16>(x.data() + 16 * i), own, memories);
    expect_rounded(of(y), state::decoder_layer(state::of(layer), "", {{16, 2, 2}, nn::activation::relu, false}, of(x),
                                               state::rows(of(memory), 0, 17), state::keeps_causal));
}

TEST(bytes_decode, encoder_layers_over_a_ring_with_a_window) {
    static nn::encoder_layer<{.embed = 16,
                              .heads = 2,
                              .hidden = 16,
                              .norm_first = true,
                              .rope = {.positions = 64, .pairs = nn::pair_order::halves}}>
        layer{};
    state::randomise(layer);
    static nn::kv_cache<std::int8_t, 12, 2, 8, 8, nn::cache_order::ring> cache;
    const auto x = support::random_numbers(5).normal<float, 31, 16>();
    tensor<float, 31, 16> y;
    for (std::size_t i = 0; i < 31; ++i)
        tensor_view<float, 1, 16>(y.data() + 16 * i) =
            layer.decode(tensor_view<const float, 1, 16>(x.data() + 16 * i), cache);
    const auto window = [](std::size_t i, std::size_t j) { return j <= i && j + 12 > i; };
    expect_rounded(of(y), state::encoded(layer, of(x), window));
}

}  // namespace
