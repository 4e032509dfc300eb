// SPDX-License-Identifier: BSL-1.0
// Sequences: any number of steps, into any destination, with overlapping operands; and the scratch that they use.
#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>
#include <tests/support/random.hpp>
#include <tests/support/steps.hpp>

namespace {

using namespace ashlar;
using namespace support;
using detail::in_sequence;

template <std::size_t Count>
const std::array<step_matrix, Count>& random_weights() {
    static std::array<step_matrix, Count> weights;
    random_numbers random(7);
    for (auto& w : weights) random.fill_normal(w);
    return weights;
}
step_result random_result(std::uint32_t seed) { return random_numbers(seed).normal<float, step_rows, step_width>(); }

// Without sequences: each expression into a tensor.
template <class... Step>
step_result one_by_one(step_result x, const Step&... step) {
    alignas(64) static std::byte memory[4096];
    const auto all = [&](const auto& s) {
        for (std::size_t i = 0; i < s.count; ++i) {
            const step_result before = x;
            x = eval(s(before, i, memory));
        }
    };
    (all(step), ...);
    return x;
}
bool equal(const step_result& a, const step_result& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

template <class... Step>
void check_destinations(const Step&... step) {
    const step_result x = random_result(1), expected = one_by_one(x, step...);
    const auto call = in_sequence(x, step...);
    workspace<workspace_bytes<decltype(call)>> scratch;
    EXPECT_TRUE(equal(eval(call), expected));
    step_result y;
    y = call;
    EXPECT_TRUE(equal(y, expected));
    evaluate(y = full<float, step_rows, step_width>(0), call, scratch);
    EXPECT_TRUE(equal(y, expected));
    // Its own input, and a destination with gaps.
    y = x;
    y = in_sequence(y, step...);
    EXPECT_TRUE(equal(y, expected));
    evaluate(y, in_sequence(y = x, step...), scratch);
    EXPECT_TRUE(equal(y, expected));
    tensor<float, step_rows, step_width + 3> wide{};
    slice<1, 2, 2 + step_width>(wide) = call;
    for (std::size_t i = 0; i < step_rows; ++i) {
        EXPECT_EQ(std::memcmp(&wide(i, 2), &expected(i, 0), step_width * sizeof(float)), 0) << i;
        EXPECT_TRUE(wide(i, 0) == 0 && wide(i, 1) == 0 && wide(i, 2 + step_width) == 0);
    }
    // Inputs that are computed, and that are not dense.
    const step_result twice = one_by_one(detail::constant_evaluate(x + x), step...);
    y = x;
    y = in_sequence(y + y, step...);
    EXPECT_TRUE(equal(y, twice));
    for (std::size_t i = 0; i < step_rows; ++i) y[i] = x[step_rows - 1 - i];
    y = in_sequence(flip<0>(y) * 2.0f, step...);
    EXPECT_TRUE(equal(y, twice));
    const tensor<float, step_width, step_rows> across = transpose(x);
    EXPECT_TRUE(equal(eval(in_sequence(transpose(across), step...)), expected));
    // As an operand.
    EXPECT_TRUE(equal(eval(call * 1.0f), expected));
}

TEST(sequence, one_step) { check_destinations(product_step<1>{&random_weights<1>()}); }
TEST(sequence, two_steps) { check_destinations(product_step<2>{&random_weights<2>()}); }
TEST(sequence, norms_between_steps) {
    check_destinations(norm_step{}, product_step<2>{&random_weights<2>()}, norm_step{},
                       product_step<1>{&random_weights<1>()});
}

TEST(sequence, in_constant_expressions) {
    static constexpr step_result x = tanh(iota<float, step_rows, step_width>() * 0.1f - 3.0f);
    static constexpr step_result y = in_sequence(x, norm_step{}, norm_step{});
    EXPECT_TRUE(all(abs(y - one_by_one(x, norm_step{}, norm_step{})) < 1e-5f));
}

// The destination is what every step reads, so that the first one must not write there.
template <std::size_t Count>
void over_its_table() {
    const step_result x = random_result(2), table = eval(random_result(3) * 0.1f);
    const step_result expected = one_by_one(x, table_step<Count>{&table});
    step_result y = table;
    y = in_sequence(x, table_step<Count>{&y});
    EXPECT_TRUE(equal(y, expected));
    // A computed input does not go to the destination either.
    const step_result of_half = one_by_one(eval(x * 0.5f), table_step<Count>{&table});
    y = table;
    y = in_sequence(x * 0.5f, table_step<Count>{&y});
    EXPECT_TRUE(equal(y, of_half));
}
TEST(sequence, destination_is_what_all_steps_read) {
    over_its_table<1>();
    over_its_table<2>();
    over_its_table<3>();
}
// Only the last step reads it: those before must not write there.
TEST(sequence, destination_is_what_a_later_step_reads) {
    const step_result x = random_result(4), table = eval(random_result(5) * 0.1f);
    const product_step<4> products{&random_weights<4>()};
    const step_result expected = one_by_one(x, products, table_step<1>{&table});
    step_result y = table;
    y = in_sequence(x, products, table_step<1>{&y});
    EXPECT_TRUE(equal(y, expected));
    // Of the steps of one kind, too: the weights of the last are in the destination.
    struct {
        std::array<step_matrix, 3> weights = random_weights<3>();
        tensor<float, 64> behind;
    } m;
    const step_result last = one_by_one(x, product_step<3>{&m.weights});
    const tensor_view<float, step_rows, step_width> over(m.weights[2].data());
    over = in_sequence(x, product_step<3>{&m.weights});
    EXPECT_TRUE(equal(eval(over), last));
}

// A step that acts is called once for each time, with memory that does not disturb what is read.
TEST(sequence, steps_that_act_are_called_once) {
    constexpr std::size_t count = 2;
    using logs = std::array<tensor<float, step_width>, count>;
    std::size_t calls = 0;
    logs log{}, expected_log{};
    const step_result x = random_result(6);
    const step_result expected = one_by_one(x, logging_step<count>{&expected_log, &calls}, norm_step{});
    EXPECT_EQ(calls, count);
    calls = 0;
    EXPECT_TRUE(equal(eval(in_sequence(x, logging_step<count>{&log, &calls}, norm_step{})), expected));
    EXPECT_EQ(calls, count);
    EXPECT_EQ(std::memcmp(&log, &expected_log, sizeof log), 0);
    // The destination is the memory of the first step's log and what follows it.
    struct {
        logs log;
        step_result behind;
    } m{};
    calls = 0;
    const tensor_view<float, step_rows, step_width> over(m.log[0].data());
    over = in_sequence(x, logging_step<count>{&m.log, &calls});
    EXPECT_EQ(calls, count);
    EXPECT_TRUE(equal(eval(over), one_by_one(x, logging_step<count>{&expected_log, &calls})));
}

// Every line of the workspace is written that a result or the largest step takes, and nothing beyond it.
template <class Call>
std::size_t touched_bytes(const Call& call) {
    constexpr std::size_t bytes = workspace_bytes<Call>;
    struct alignas(64) {
        workspace<bytes> scratch;
        std::byte guard[256];
    } static memory;
    std::byte* const first = reinterpret_cast<std::byte*>(&memory);
    std::size_t touched = 0;
    for (const int pattern : {0xa5, 0x3c}) {
        std::memset(&memory, pattern, sizeof memory);
        step_result y;
        evaluate(y, call, memory.scratch);
        for (std::size_t i = 0; i < bytes; ++i)
            if (first[i] != static_cast<std::byte>(pattern) && i + 1 > touched) touched = i + 1;
        for (const std::byte b : memory.guard) EXPECT_EQ(b, static_cast<std::byte>(pattern));
    }
    return touched;
}
TEST(sequence, touches_its_workspace) {
    const step_result x = random_result(8);
    const product_step<3> step{&random_weights<3>()};
    constexpr std::size_t buffer = (sizeof x + 63) / 64 * 64;
    const std::size_t of_step = touched_bytes(step(x, 0, nullptr)), of_norm = touched_bytes(norm_step{}(x, 0, nullptr));
    EXPECT_EQ(touched_bytes(in_sequence(x, step)), of_step == 0 ? sizeof x : buffer + of_step);
    EXPECT_EQ(touched_bytes(in_sequence(x, norm_step{}, norm_step{})), of_norm == 0 ? sizeof x : buffer + of_norm);
    const step_result table = random_result(9);
    const table_step<2> deep{&table};
    const std::size_t of_deep = touched_bytes(deep(x, 0, nullptr));
    const std::size_t most = (std::max)({of_step, of_norm, of_deep});
    EXPECT_GT(most, 0u);
    EXPECT_EQ(touched_bytes(in_sequence(x, step, deep, norm_step{})), buffer + most);
}

}  // namespace
