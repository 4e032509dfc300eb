// SPDX-License-Identifier: BSL-1.0
// llama_decoder against loops over its state dict, at once and row by row with caches.
#include <tests/nn/state.hpp>

#include <ashlar/nn/inspect/counts.hpp>
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/positions/rope.hpp>
#include <ashlar/nn/transformers/llama_decoder.hpp>

namespace {

using namespace ashlar;
using reference::array;
using reference::of;

using stack = nn::llama_decoder<{.block = {.embed = 16, .heads = 4, .kv_heads = 2, .hidden = 12}, .layers = 3}>;
constexpr auto& turn = nn::rope_tables<{.head_width = 4, .positions = 16}>;
using caches = std::array<nn::kv_cache<float, 16, 2, 4>, 3>;

static_assert(nn::parameter_count<stack> == 3 * (2 * 16 + 2 * 16 * 16 + 2 * 16 * 8 + 3 * 16 * 12) + 16);
// The model of the stories, but for its embedding.
static_assert(nn::parameter_count<
                  nn::llama_decoder<{.block = {.embed = 64, .heads = 8, .kv_heads = 4, .hidden = 172}, .layers = 5}>> ==
              260'032 - 512 * 64);

// Members are initialised by name: stacks are aggregates without a base.
constexpr nn::llama_decoder<{.block = {.embed = 4, .hidden = 4}}> named{.layers = {}, .norm = {.weight = {1, 2, 3, 4}}};
static_assert(named.norm.weight(3) == 4);

// The old names.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static_assert(
    std::is_same_v<nn::decoder_stack<{.block = {.embed = 16, .heads = 4, .kv_heads = 2, .hidden = 12}, .layers = 3}>,
                   stack>);
static_assert(
    std::is_same_v<nn::decoder_block<{.embed = 16, .heads = 4, .kv_heads = 2, .hidden = 12}>, stack::layer_type>);
static_assert(nn::decoder_stack_options{.block = nn::decoder_block_options{.embed = 24}}.layers == 1);
#pragma GCC diagnostic pop

TEST(llama_decoder, all_rows_are_those_decoded_one_by_one) {
    static stack model{};
    state::randomise(model);
    const auto x = support::random_numbers(3).normal<float, 11, 16>();
    const auto d = state::of(model);
    array expected = of(x);
    for (const char* i : {"layers.0.", "layers.1.", "layers.2."})
        expected = state::llama_layer(d, i, {16, 4, 2}, expected);
    expected = state::rms_norm(d, "norm", expected, 1e-5);
    support::check(model(x, turn), expected, 1e-5);

    caches c{};
    tensor<float, 11, 16> y;
    evaluate(slice<0, 0, 4>(y), model.decode(slice<0, 0, 4>(x), turn, c));
    for (std::size_t i = 4; i < 11; ++i) {
        EXPECT_EQ(c[2].length(), i);
        tensor_view<float, 1, 16>(y.data() + 16 * i) =
            model.decode(tensor_view<const float, 1, 16>(x.data() + 16 * i), turn, c);
    }
    EXPECT_EQ(c[0].length(), 11u);
    reference::expect_near(y, expected, 1e-5);
}

}  // namespace
