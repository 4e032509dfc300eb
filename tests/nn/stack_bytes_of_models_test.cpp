// SPDX-License-Identifier: BSL-1.0
// stack_bytes of whole models, against calls on a stack that was filled with a pattern.
#include <algorithm>

#include <gtest/gtest.h>

#include <ashlar/nn.hpp>

#include "support/painted_stack.hpp"

namespace {

using namespace ashlar;

/// The stack that `run(y)` takes. Where frames are larger than those of users it is not compiled either.
template <class Destination, class Run>
void expect_taken(Destination& y, std::size_t least, std::size_t most, const Run& run) {
    if constexpr (test::has_usual_frames) {
        test::painted_stack stack;
        const auto call = [&] { run(y); };
        const std::size_t taken = stack.depth_of(call);
        EXPECT_LE(least, taken);
        EXPECT_LE(taken, most);
    } else {
        GTEST_SKIP() << "only optimised builds are measured";
    }
}
/// What a call takes at least, if it has a copy of its operands in memory of this size.
template <class E>
constexpr std::size_t least_taken(std::size_t copies) {
    return stack_bytes<E> - (std::min)(stack_bytes<E>, copies + 12 * 1024);
}
template <class Destination, class E>
void expect_within(Destination& y, const E& e) {
    expect_taken(y, least_taken<E>(alias_workspace_bytes<E>), stack_bytes<E>, [&](auto& to) {
        static workspace<workspace_bytes<E>> scratch;
        evaluate(to, e, scratch);
    });
}

constexpr nn::encoder_layer_options layer{.embed = 32, .heads = 4, .hidden = 64};

TEST(stack_bytes_of_models, encoder) {
    static nn::encoder<{.layer = layer, .layers = 3}> encoder{};
    static tensor<float, 20, 32> x{}, y{};
    expect_within(y, encoder(x));
    expect_within(x, encoder(x));
    // Layers run one after the other: their number takes no stack.
    using longer = nn::encoder<{.layer = layer, .layers = 12}>;
    static_assert(stack_bytes<decltype(std::declval<const longer&>()(x))> == stack_bytes<decltype(encoder(x))>);
}

TEST(stack_bytes_of_models, decoder_with_a_memory_that_is_overwritten) {
    static nn::decoder<{.layer = layer, .layers = 2}> decoder{};
    static tensor<float, 12, 32> x{}, memory{};
    expect_within(memory, decoder(x, memory));
}

// A memory that is computed is held by the call.
TEST(stack_bytes_of_models, decoder_of_a_computed_memory) {
    static nn::decoder<{.layer = layer, .layers = 2}> decoder{};
    static tensor<float, 12, 32> x{}, y{};
    static tensor<float, 100, 32> memory{};
    using call = decltype(decoder(x, softmax(memory)));
    using of_memory = decltype(decoder(x, memory));
    static_assert(stack_bytes<call> >= sizeof(memory) + stack_bytes<of_memory>);
    expect_taken(y, stack_bytes<of_memory> + 1, stack_bytes<call>, [](auto& to) {
        static workspace<workspace_bytes<call>> scratch;
        evaluate(to, decoder(x, softmax(memory)), scratch);
    });
}

// An operand that is a sequence is evaluated when the expression is built, and held by it.
TEST(stack_bytes_of_models, encoder_as_an_operand) {
    static nn::encoder<{.layer = layer, .layers = 2}> encoder{};
    static tensor<float, 60, 32> x{}, y{};
    using call = decltype(encoder(x));
    using rows = decltype(softmax(encoder(x)));
    static_assert(stack_bytes<rows> >= sizeof(y) + stack_bytes<call> + workspace_bytes<call>);
    static_assert(stack_bytes<decltype(softmax(x))> + sizeof(y) < stack_bytes<rows>);
    static_assert(workspace_bytes<rows> == workspace_bytes<decltype(softmax(x))>);
    const std::size_t least = (std::max)(workspace_bytes<call>, least_taken<rows>(alias_workspace_bytes<call>));
    expect_taken(y, least, stack_bytes<rows>, [](auto& to) {
        static workspace<workspace_bytes<rows>> scratch;
        evaluate(to, softmax(encoder(x)), scratch);
    });
}

}  // namespace
