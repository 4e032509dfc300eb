// SPDX-License-Identifier: BSL-1.0
// The first rows of a result by several workers have the bits of one, and no more of them are computed.
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

#include "support/executors.hpp"

using namespace ashlar;
using support::backwards, support::filled, support::guarded_workspace, support::threads;

namespace {

/// Whether the first rows of each entry, count(entry) of them, have the same bits.
template <class Tensor, class Count>
bool have_same_rows(const Tensor& a, const Tensor& b, const Count& count) {
    constexpr std::size_t columns = Tensor::extents[Tensor::rank() - 1], rows = Tensor::extents[Tensor::rank() - 2];
    for (std::size_t entry = 0; entry < Tensor::size / columns / rows; ++entry)
        if (std::memcmp(a.data() + entry * rows * columns, b.data() + entry * rows * columns,
                        count(entry) * columns * sizeof(float)) != 0)
            return false;
    return true;
}

template <std::size_t Workers, class Result, class Expression, class Rows, class Count>
void expect_same_rows_by(const Expression& e, const Result& expected, const Rows& rows, const Count& count,
                         std::size_t parts) {
    static Result y;
    static guarded_workspace<workspace_bytes<Expression, Workers>> memory;
    for (const std::size_t most : {std::size_t{1}, std::size_t{2}, Workers, Workers + 5}) {
        std::memset(static_cast<void*>(y.data()), 0xff, sizeof y);
        backwards serial{.most = most};
        evaluate(y, e, memory.scratch, serial, rows);
        EXPECT_TRUE(have_same_rows(y, expected, count)) << most << " of " << Workers << " workers";
        if (most >= Workers) {
            EXPECT_GE(serial.parts, parts) << most << " of " << Workers << " workers";
        }
        EXPECT_TRUE(memory.is_whole());
    }
    std::memset(static_cast<void*>(y.data()), 0xff, sizeof y);
    backwards pool{.most = Workers, .on_threads = true};
    evaluate(y, e, memory.scratch, pool, rows);
    EXPECT_TRUE(have_same_rows(y, expected, count)) << Workers << " threads";
    EXPECT_TRUE(memory.is_whole());
}

/// By a plan for so many workers; all loops together have at least so many parts.
template <std::size_t Workers, class Result, class Expression, class Rows, class Count>
void expect_same_rows(const Expression& e, const Rows& rows, const Count& count, std::size_t parts) {
    static Result expected;
    static workspace<workspace_bytes<Expression>> scratch;
    evaluate(expected, e, scratch, rows);
    expect_same_rows_by<Workers>(e, expected, rows, count, parts);
}

constexpr std::array<std::size_t, 12> counts{0, 1, 15, 16, 17, 31, 33, 48, 49, 97, 112, 128};

template <std::size_t Tokens, std::size_t Workers>
void layers(std::size_t parts) {
    SCOPED_TRACE(Tokens);
    using module = nn::encoder_layer<{.embed = 96, .heads = 4, .hidden = 200}>;
    using rows = tensor<float, Tokens, 96>;
    static module layer;
    nn::init::generator random(7);
    nn::init::reset_parameters(layer, random);
    static const rows x = filled<rows>(1);
    for (const std::size_t n : counts)
        if (n <= Tokens) {
            SCOPED_TRACE(n);
            expect_same_rows<Workers, rows>(
                layer(x, keys_below(n)), rows_below(n), [&](std::size_t) { return n; }, n >= 97 ? parts : 0);
        }
}

template <std::size_t Tokens>
void attentions() {
    using rows = tensor<float, 3, 2, Tokens, 24>;
    static const rows q = filled<rows>(1), k = filled<rows>(2), v = filled<rows>(3);
    const tensor<int, 3> lengths{5, 0, Tokens};
    const auto count = [&](std::size_t entry) { return static_cast<std::size_t>(lengths(entry / 2)); };
    expect_same_rows<5, rows>(attention(q, k, v, keys_below(lengths)), rows_below(lengths), count, 4);
    expect_same_rows<5, rows>(attention(q, k, v, causal), rows_below(lengths), count, 4);
    expect_same_rows<5, rows>(attention(q, k, v), rows_below(Tokens - 1), [](std::size_t) { return Tokens - 1; }, 5);
    expect_same_rows<5, rows>(attention(q, k, v), rows_below(0), [](std::size_t) { return std::size_t{0}; }, 0);
}

template <std::size_t Tokens, std::size_t Workers>
void in_place() {
    SCOPED_TRACE(Tokens);
    using rows = tensor<float, Tokens, 48>;
    using module = nn::feed_forward<{.embed = 48, .hidden = 96}>;
    static module layer;
    nn::init::generator random(3);
    nn::init::reset_parameters(layer, random);
    for (const std::size_t n : counts) {
        if (n > Tokens) continue;
        static rows x, expected;
        using expression = decltype(x + layer(x));
        static workspace<workspace_bytes<expression, Workers>> scratch;
        expected = filled<rows>(1);
        evaluate(expected, expected + layer(expected), scratch, rows_below(n));
        x = filled<rows>(1);
        backwards serial{.most = Workers};
        evaluate(x, x + layer(x), scratch, serial, rows_below(n));
        EXPECT_TRUE(have_same_rows(x, expected, [&](std::size_t) { return n; })) << n;
        if (n > 80) {
            EXPECT_GE(serial.parts, Workers) << n;
        }
    }
}

std::size_t calls = 0;
inline constexpr auto counted = [](float x) {
    ++calls;
    return x;
};

}  // namespace

TEST(executor_rows, layers) { layers<100, 5>(8); }

TEST(executor_rows, attention) { attentions<40>(); }

// Lengths of their own in a batch: its entries' tiles are shared out together.
TEST(executor_rows, batches) {
    using module = nn::encoder<{.layer = {.embed = 48, .heads = 4, .hidden = 100}, .layers = 2}>;
    using rows = tensor<float, 4, 48, 48>;
    static module encoder;
    nn::init::generator random(7);
    nn::init::reset_parameters(encoder, random);
    static const rows x = filled<rows>(1);
    for (const auto& lengths :
         {tensor<int, 4>{48, 1, 17, 32}, tensor<int, 4>{0, 0, 33, 0}, tensor<int, 4>{9, 8, 7, 6}}) {
        const auto count = [&](std::size_t entry) { return static_cast<std::size_t>(lengths(entry)); };
        expect_same_rows<5, rows>(encoder(x, keys_below(lengths)), rows_below(lengths), count, 4);
    }
}

// Rows that are read where they are written wait on the stack of their worker.
TEST(executor_rows, in_place) { in_place<152, 5>(); }

// Workers compute the rows that one would: those of whole tiles.
TEST(executor_rows, are_no_more) {
    using rows = tensor<float, 96, 8>;
    static const rows x = filled<rows>(1);
    static rows y;
    const auto e = softmax(map(counted, x));
    static workspace<workspace_bytes<std::remove_const_t<decltype(e)>, 3>> scratch;
    calls = 0;
    evaluate(y, e, scratch, rows_below(16));
    const std::size_t of_part = calls;
    for (const std::size_t n : {0u, 1u, 16u, 17u, 40u, 52u, 96u}) {
        backwards serial{.most = 3};
        calls = 0;
        evaluate(y, e, scratch, serial, rows_below(n));
        EXPECT_EQ(calls, (n + 15) / 16 * of_part) << n;
    }
}

TEST(executor_rows, are_explained) {
    using rows = tensor<float, 128, 32>;
    static const rows x{};
    const auto text = explain<2>(attention(x, x, x), rows_below(3));
    EXPECT_NE(std::string_view(text.c_str()).find("which workers share"), std::string_view::npos);
    EXPECT_NE(std::string_view(text.c_str()).find("rows_below"), std::string_view::npos);
}

TEST(executor_rows, constant_expressions) {
    constexpr auto y = [] {
        tensor<float, 2, 2> out{}, x{1, 2, 3, 4};
        workspace<workspace_bytes<decltype(matmul(x, x)), 2>> scratch{};
        evaluate(out, matmul(x, x), scratch, threads{2}, rows_below(1));
        return out;
    }();
    static_assert(y(0, 1) == 10.0f);
}

#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(executor_rows_death, more_rows_than_there_are) {
    const tensor<float, 9, 2> x{};
    tensor<float, 9, 2> y;
    workspace<workspace_bytes<decltype(x + x)>> scratch;
    EXPECT_DEATH(evaluate(y, x + x, scratch, threads{2}, rows_below(10)), "more rows than the result has");
}
#endif
