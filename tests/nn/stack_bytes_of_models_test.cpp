// SPDX-License-Identifier: BSL-1.0
// stack_bytes of whole models, against calls on a stack that was filled with a pattern.
#include <gtest/gtest.h>

#include <ashlar/nn.hpp>

#include "support/painted_stack.hpp"

namespace {

using namespace ashlar;

template <class Destination, class Expression>
void expect_within(Destination& y, const Expression& e) {
    if (!test::has_usual_frames) GTEST_SKIP() << "only optimised builds are measured";
    static workspace<workspace_bytes<Expression>> scratch;
    test::painted_stack stack;
    const auto call = [&] { evaluate(y, e, scratch); };
    const std::size_t taken = stack.depth_of(call);
    EXPECT_LE(taken, stack_bytes<Expression>);
    EXPECT_LE(stack_bytes<Expression>, taken + alias_workspace_bytes<Expression> + 12 * 1024);
}

TEST(stack_bytes_of_models, encoder) {
    using encoder_type = nn::encoder<{.layer = {.embed = 32, .heads = 4, .hidden = 64}, .layers = 3}>;
    static encoder_type encoder{};
    static tensor<float, 20, 32> x{}, y{};
    expect_within(y, encoder.layers[0](x));
    expect_within(y, encoder(x));
    expect_within(x, encoder(x));
    // Layers run one after the other: their number takes no stack.
    using longer = nn::encoder<{.layer = {.embed = 32, .heads = 4, .hidden = 64}, .layers = 12}>;
    static_assert(stack_bytes<decltype(std::declval<const longer&>()(x))> ==
                  stack_bytes<decltype(std::declval<const encoder_type&>()(x))>);
}

TEST(stack_bytes_of_models, decoder_with_a_memory_that_is_overwritten) {
    static nn::decoder<{.layer = {.embed = 32, .heads = 4, .hidden = 64}, .layers = 2}> decoder{};
    static tensor<float, 12, 32> x{}, memory{};
    expect_within(memory, decoder(x, memory));
}

// A memory that is computed is held by the call.
TEST(stack_bytes_of_models, decoder_of_a_computed_memory) {
    static nn::decoder<{.layer = {.embed = 32, .heads = 4, .hidden = 64}, .layers = 2}> decoder{};
    static tensor<float, 12, 32> x{}, y{};
    static tensor<float, 100, 32> memory{};
    using call = decltype(decoder(x, softmax(memory)));
    using of_memory = decltype(decoder(x, memory));
    static_assert(stack_bytes<call> >= sizeof(memory) + stack_bytes<of_memory>);
    if (!test::has_usual_frames) GTEST_SKIP() << "only optimised builds are measured";
    static workspace<workspace_bytes<call>> scratch;
    test::painted_stack stack;
    const auto built_and_evaluated = [&] { evaluate(y, decoder(x, softmax(memory)), scratch); };
    const std::size_t taken = stack.depth_of(built_and_evaluated);
    EXPECT_LE(taken, stack_bytes<call>);
    EXPECT_GT(taken, stack_bytes<of_memory>);
}

// An operand that is a sequence is evaluated when the expression is built, and held by it.
TEST(stack_bytes_of_models, encoder_as_an_operand) {
    static nn::encoder<{.layer = {.embed = 32, .heads = 4, .hidden = 64}, .layers = 2}> encoder{};
    static tensor<float, 60, 32> x{}, y{};
    using call = decltype(encoder(x));
    using rows = decltype(softmax(encoder(x)));
    static_assert(stack_bytes<rows> >= sizeof(y) + stack_bytes<call> + workspace_bytes<call>);
    static_assert(stack_bytes<decltype(softmax(x))> + sizeof(y) < stack_bytes<rows>);
    static_assert(workspace_bytes<rows> == workspace_bytes<decltype(softmax(x))>);
    if (!test::has_usual_frames) GTEST_SKIP() << "only optimised builds are measured";
    static workspace<workspace_bytes<rows>> scratch;
    test::painted_stack stack;
    const auto built_and_evaluated = [&] { evaluate(y, softmax(encoder(x)), scratch); };
    const std::size_t taken = stack.depth_of(built_and_evaluated);
    EXPECT_LE(taken, stack_bytes<rows>);
    EXPECT_GE(taken, workspace_bytes<call>);
    EXPECT_LE(stack_bytes<rows>, taken + alias_workspace_bytes<call> + 12 * 1024);
}

}  // namespace
