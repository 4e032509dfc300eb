// SPDX-License-Identifier: BSL-1.0
// Layers and stacks that decode over caches in 8 bits: close to the results over caches of floats, and not equal.
#include <array>
#include <cmath>

#include <gtest/gtest.h>
#include <tests/nn/state.hpp>

#include <ashlar/nn.hpp>

namespace {

using namespace ashlar;

/// Two results are near each other, but not the same.
template <class Left, class Right>
void expect_rounded(const Left& found, const Right& expected) {
    double ab = 0, aa = 0, bb = 0;
    float most = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const float a = found.data()[i], b = expected.data()[i];
        ab += static_cast<double>(a) * static_cast<double>(b);
        aa += static_cast<double>(a) * static_cast<double>(a);
        bb += static_cast<double>(b) * static_cast<double>(b);
        most = std::fmax(most, std::abs(a - b));
    }
    EXPECT_GE(ab / std::sqrt(aa * bb), 0.999);
    EXPECT_GT(most, 1e-5f) << "nothing was rounded";
}

TEST(bytes_decode, a_stack_with_rotation_and_grouped_queries) {
    using blocks = nn::llama_decoder<{.block = {.embed = 24, .heads = 6, .kv_heads = 2, .hidden = 20}, .layers = 2}>;
    static blocks stack{};
    constexpr auto& turn = nn::rope_tables<{.head_width = 4, .positions = 32}>;
    state::randomise(stack);
    static std::array<nn::kv_cache<std::int8_t, 23, 2, 4>, 2> bytes{};
    static std::array<nn::kv_cache<float, 23, 2, 4>, 2> floats{};
    const auto prompt = support::random_numbers(3).normal<float, 9, 24>();
    const tensor<float, 9, 24> y = stack.decode(prompt, turn, bytes), expected = stack.decode(prompt, turn, floats);
    expect_rounded(y, expected);
    tensor<float, 14, 24> steps, expected_steps;
    const auto x = support::random_numbers(4).normal<float, 14, 24>();
    for (std::size_t i = 0; i < 14; ++i) {
        const tensor_view<const float, 1, 24> row(x.data() + 24 * i);
        tensor_view<float, 1, 24>(steps.data() + 24 * i) = stack.decode(row, turn, bytes);
        tensor_view<float, 1, 24>(expected_steps.data() + 24 * i) = stack.decode(row, turn, floats);
    }
    EXPECT_TRUE(bytes[0].full() && bytes[1].full());
    expect_rounded(steps, expected_steps);
}

TEST(bytes_decode, a_memory_is_remembered_in_8_bits) {
    static nn::decoder<{.layer = {.embed = 24, .heads = 3, .hidden = 32}, .layers = 2}> decoder{};
    state::randomise(decoder);
    static std::array<nn::kv_cache<std::int8_t, 16, 3, 8>, 2> own{};
    static std::array<nn::kv_cache<std::int8_t, 20, 3, 8>, 2> memories{};
    static std::array<nn::kv_cache<float, 16, 3, 8>, 2> own_floats{};
    static std::array<nn::kv_cache<float, 20, 3, 8>, 2> memories_of_floats{};
    const auto memory = support::random_numbers(1).normal<float, 20, 24>();
    using decoder_type = decltype(decoder);
    static workspace<decoder_type::remember_workspace_bytes<decltype(memory), decltype(memories[0])>> scratch;
    decoder.remember(memory, memories, 17, scratch);
    decoder.remember(memory, memories_of_floats, 17);
    tensor<float, 5, 24> y, expected;
    const auto x = support::random_numbers(2).normal<float, 5, 24>();
    for (std::size_t i = 0; i < 5; ++i) {
        const tensor_view<const float, 1, 24> row(x.data() + 24 * i);
        tensor_view<float, 1, 24>(y.data() + 24 * i) = decoder.decode(row, own, memories);
        tensor_view<float, 1, 24>(expected.data() + 24 * i) = decoder.decode(row, own_floats, memories_of_floats);
    }
    expect_rounded(y, expected);
}

TEST(bytes_decode, encoder_layers_over_a_ring_with_a_window) {
    static nn::encoder<{
        .layer =
            {.embed = 24, .heads = 3, .norm_first = true, .rope = {.positions = 64, .pairs = nn::pair_order::halves}},
        .layers = 2}>
        model{};
    state::randomise(model);
    static std::array<nn::kv_cache<std::int8_t, 12, 3, 8, 8, nn::cache_order::ring>, 2> bytes;
    static std::array<nn::kv_cache<float, 12, 3, 8, 8, nn::cache_order::ring>, 2> floats;
    const auto x = support::random_numbers(5).normal<float, 31, 24>();
    tensor<float, 31, 24> y, expected;
    for (std::size_t i = 0; i < 31; ++i) {
        const tensor_view<const float, 1, 24> row(x.data() + 24 * i);
        tensor_view<float, 1, 24>(y.data() + 24 * i) = model.decode(row, bytes);
        tensor_view<float, 1, 24>(expected.data() + 24 * i) = model.decode(row, floats);
    }
    expect_rounded(y, expected);
}

}  // namespace
