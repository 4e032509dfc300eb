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

}  // namespace
