// SPDX-License-Identifier: BSL-1.0
// Stacks of layers: what `explain` says of a call.
#include <string>

#include <gtest/gtest.h>
#include <tests/nn/explained.hpp>

#include <ashlar/nn.hpp>

namespace {

using namespace ashlar;
using support::grouped;
using support::parts;
using support::text_of;

tensor<float, 9, 8> x{};
nn::encoder<{.layer = {.embed = 8, .heads = 2, .hidden = 20}, .layers = 3, .final_norm = true}> normed{};
nn::encoder<{.layer = {.embed = 8, .heads = 2, .hidden = 20}, .layers = 2}> plain{};
nn::decoder<{.layer = {.embed = 8, .heads = 2, .hidden = 20}, .layers = 4}> decoder{};

TEST(layered, explained_as_one_layer_and_the_last_step) {
    const auto call = normed(x, causal);
    const auto found = parts(text_of(call));
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0], "evaluated in parts, one after the other: " + grouped(flops<decltype(call)>) + " flops, " +
                            grouped(workspace_bytes<decltype(call)>) + " B of scratch, 320 B of it between them\n\n");
    EXPECT_EQ(found[1], "3 times:\n" + text_of(normed.layers[0](x, causal)) + "\n");
    EXPECT_EQ(found[2], "once:\n" + text_of(normed.norm(x)));
}
TEST(layered, explained_without_a_last_step) {
    const auto found = parts(text_of(plain(x)));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[1], "2 times:\n" + text_of(plain.layers[0](x)));
    EXPECT_EQ(parts(text_of(decoder(x, x, causal)))[1], "4 times:\n" + text_of(decoder.layers[0](x, x, causal)));
}
TEST(layered, explained_with_an_input_that_is_computed) {
    const auto found = parts(text_of(plain(x + x)));
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[1], "once:\n" + text_of(x + x) + "\n");
    EXPECT_EQ(found[2], "2 times:\n" + text_of(plain.layers[0](x)));
}
// The memory is read by every layer, and the destination is where every other one puts its result.
TEST(layered, destination_is_what_all_layers_read) {
    static nn::decoder<{.layer = {.embed = 8, .heads = 2, .hidden = 8}, .layers = 3, .final_norm = true}> d;
    nn::init::generator random(1);
    nn::init::reset_parameters(d, random);
    const auto rows = nn::init::randn<float, 5, 8>(random);
    auto memory = nn::init::randn<float, 5, 8>(random);
    tensor<float, 5, 8> expected;
    expected = d(rows, memory);
    memory = d(rows, memory);
    EXPECT_TRUE(all(memory == expected));
}
TEST(layered, explained_as_a_constant) {
    static constexpr nn::encoder<{.layer = {.embed = 4, .heads = 1, .hidden = 4}, .layers = 2}> e{};
    static constexpr tensor<float, 3, 4> input{};
    static constexpr auto text = explain(e(input));
    static_assert(text.contains("2 times:\nplan of float [3, 4]") && !text.contains("once:") &&
                  text.size() == text.capacity());
    for (std::size_t i = 0, column = 0; i < text.size(); ++i) {
        column = text.characters[i] == '\n' ? 0 : column + 1;
        ASSERT_LE(column, 100u);
    }
}

}  // namespace
