// SPDX-License-Identifier: BSL-1.0
// The first rows of a result by several workers have the bits of one, and no more of them are computed.
#include <cstdint>
#include <cstring>
#include <string_view>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

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

/// By a plan for five workers; all loops together have at least so many parts.
template <class Result, class Expression, class Rows, class Count>
void expect_same_rows(const Expression& e, const Rows& rows, const Count& count, std::size_t parts) {
    static Result expected, y;
    static workspace<workspace_bytes<Expression>> scratch;
    static guarded_workspace<workspace_bytes<Expression, 5>> memory;
    evaluate(expected, e, scratch, rows);
    for (const backwards& executor : {backwards{1}, backwards{2}, backwards{5}, backwards{10}, backwards{5, true}}) {
        std::memset(static_cast<void*>(y.data()), 0xff, sizeof y);
        backwards workers = executor;
        evaluate(y, e, memory.scratch, workers, rows);
        EXPECT_TRUE(have_same_rows(y, expected, count))
            << executor.most << " workers, threads: " << executor.on_threads;
        if (executor.most >= 5) {
            EXPECT_GE(workers.parts, parts) << executor.most << " workers";
        }
        EXPECT_TRUE(memory.is_whole());
    }
}

const auto up = support::random_numbers(3).normal<float, 16, 32>(0, 0.2);
const auto down = support::random_numbers(4).normal<float, 32, 16>(0, 0.2);

std::size_t calls = 0;
inline constexpr auto counted = [](float x) {
    ++calls;
    return x;
};

}  // namespace

TEST(executor_rows, attention) {
    using rows = tensor<float, 3, 2, 40, 24>;
    static const rows q = filled<rows>(1), k = filled<rows>(2), v = filled<rows>(3);
    for (const std::size_t n : {0u, 39u})
        expect_same_rows<rows>(attention(q, k, v), rows_below(n), [=](std::size_t) { return n; }, n == 0 ? 0 : 5);
}

// Lengths of their own in a batch: its entries' tiles are shared out together.
TEST(executor_rows, batches) {
    using rows = tensor<float, 4, 48, 16>;
    static const rows x = filled<rows>(1);
    for (const auto& lengths : {tensor<int, 4>{48, 1, 17, 32}, tensor<int, 4>{0, 0, 33, 0}, tensor<int, 4>{9, 8, 7, 6},
                                tensor<int, 4>{15, 16, 31, 47}}) {
        const auto count = [&](std::size_t entry) { return static_cast<std::size_t>(lengths(entry)); };
        const auto layer = let(attention(x, x, x, keys_below(lengths)) + x,
                               [](const auto& y) { return layer_norm(matmul(gelu(matmul(y, up)), down) + y, 1e-5f); });
        expect_same_rows<rows>(layer, rows_below(lengths), count, lengths(2) == 33 ? 2 : 4);
    }
}

// Rows that are read where they are written wait on the stack of their worker.
TEST(executor_rows, in_place) {
    using rows = tensor<float, 152, 16>;
    static rows x, expected;
    const auto layer = [](const rows& y) { return y + matmul(gelu(matmul(y, up)), down); };
    static workspace<workspace_bytes<decltype(layer(x)), 5>> scratch;
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 31u, 33u, 48u, 49u, 97u, 112u, 128u}) {
        expected = filled<rows>(1);
        evaluate(expected, layer(expected), scratch, rows_below(n));
        x = filled<rows>(1);
        backwards serial{.most = 5};
        evaluate(x, layer(x), scratch, serial, rows_below(n));
        EXPECT_TRUE(have_same_rows(x, expected, [&](std::size_t) { return n; })) << n;
        if (n > 80) {
            EXPECT_GE(serial.parts, 5u) << n;
        }
    }
}

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
