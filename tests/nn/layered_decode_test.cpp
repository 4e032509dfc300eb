// SPDX-License-Identifier: BSL-1.0
// Stacks that decode: what is appended to caches is in the FLOPs of a call, and in what `explain` says of it.
#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>
#include <tests/nn/explained.hpp>
#include <tests/nn/state.hpp>

#include <ashlar/nn.hpp>

namespace {

using namespace ashlar;
using support::parts;
using support::text_of;

using blocks = nn::llama_decoder<{.block = {.embed = 8, .heads = 2, .kv_heads = 1, .hidden = 12}, .layers = 3}>;
using layer_type = std::remove_cvref_t<decltype(blocks::layers[0])>;
blocks stack{};
constexpr auto& turn = nn::rope_tables<{.head_width = 4, .positions = 16}>;
using turn_type = decltype(turn);
std::array<nn::kv_cache<float, 16, 1, 4>, 3> caches{};

// Of decoding: the expression of a layer, what was appended before, and the last norm.
template <std::size_t Rows>
using rows_of = tensor<float, Rows, 8>;
template <std::size_t Rows>
using decoded = decltype(stack.decode(std::declval<const rows_of<Rows>&>(), turn, caches));
template <std::size_t Rows>
using decoded_once = decltype(stack.layers[0].decode(std::declval<const rows_of<Rows>&>(), turn, caches[0]));
template <std::size_t Rows>
constexpr std::size_t norm_flops = flops<decltype(stack.norm(std::declval<const rows_of<Rows>&>()))>;

// Products with 8 x 4 for keys and for values, a rotation of 4 numbers by 3 operations each, a norm.
static_assert(layer_type::append_flops<rows_of<1>, turn_type> == 2 * 2 * 8 * 4 + 4 * 3 + norm_flops<1>);
static_assert(layer_type::append_flops<const rows_of<5>&, turn_type> ==
              5 * layer_type::append_flops<rows_of<1>, turn_type>);
static_assert(flops<decoded<1>> ==
              3 * (flops<decoded_once<1>> + layer_type::append_flops<rows_of<1>, turn_type>)+norm_flops<1>);
static_assert(flops<decoded<2>> ==
              3 * (flops<decoded_once<2>> + layer_type::append_flops<rows_of<2>, turn_type>)+norm_flops<2>);

TEST(layered_decode, explained_with_what_decoding_appends) {
    tensor<float, 1, 8> row{};
    const auto found = parts(text_of(stack.decode(row, turn, caches)));
    ASSERT_EQ(found.size(), 3u);
    const layer_type& b = stack.layers[0];
    std::string expected = "3 times:\n";
    expected += text_of(b.input_layernorm(row)) + "\n";
    expected += text_of(turn(b.self_attn.keys(row), std::size_t{0})) + "\n";
    expected += text_of(b.self_attn.values(row)) + "\n";
    expected += text_of(b.decode(row, turn, caches[0])) + "\n";
    EXPECT_EQ(found[1], expected);
    EXPECT_EQ(found[2], "once:\n" + text_of(stack.norm(row)));
    EXPECT_EQ(caches[1].length(), 0u);
}

// The result overlaps memory that only the last layer reads. No layer before it may write there.
TEST(layered_decode, destination_is_what_a_later_layer_reads) {
    static nn::decoder<{.layer = {.embed = 8, .heads = 2, .hidden = 12}, .layers = 3}> decoder{};
    state::randomise(decoder);
    using cache_type = nn::kv_cache<float, 16, 2, 4>;
    static std::array<cache_type, 3> own{}, memories{};
    const auto memory = support::random_numbers(1).normal<float, 7, 8>();
    const auto row = support::random_numbers(2).normal<float, 1, 8>();
    decoder.remember(memory, memories);
    tensor<float, 1, 8> expected;
    tensor_view<float, 1, 8>(expected.data()) = decoder.decode(row, own, memories);
    for (cache_type& c : own) c.clear();
    const tensor_view<float, 1, 8> over(const_cast<float*>(memories[2].values().data()));
    over = decoder.decode(row, own, memories);
    for (std::size_t j = 0; j < 8; ++j) EXPECT_EQ(over(0, j), expected(0, j)) << j;
#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
    while (!own[0].full()) own[0].append(tensor<float, 2, 4>{}, tensor<float, 2, 4>{});
    EXPECT_DEATH(over = decoder.decode(row, own, memories), "no room for the rows");
#endif
}

}  // namespace
