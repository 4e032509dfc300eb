// SPDX-License-Identifier: BSL-1.0
// Evaluations that several workers share have the bits of one, whoever runs which part, and are shared indeed.
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

#include "support/executors.hpp"

using namespace ashlar;
using support::backwards, support::filled, support::guarded_workspace, support::threads;

namespace {

static_assert(executor<backwards> && executor<threads&> && !executor<int> && !executor<workspace<64>>);

/// By a plan for so many workers; all loops together have at least so many parts.
template <std::size_t Workers, class Result, class Expression>
void expect_same_bits(const Expression& e, std::size_t parts) {
    static Result expected, y;
    static workspace<workspace_bytes<Expression>> scratch;
    static guarded_workspace<workspace_bytes<Expression, Workers>> memory;
    evaluate(expected, e, scratch);
    for (backwards workers : {backwards{0}, backwards{1}, backwards{2}, backwards{Workers}, backwards{Workers + 5},
                              backwards{Workers, true}}) {
        SCOPED_TRACE(testing::Message() << workers.most << " of " << Workers << " workers");
        std::memset(static_cast<void*>(y.data()), 0xff, sizeof y);
        evaluate(y, e, memory.scratch, workers);
        EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0);
        EXPECT_GE(workers.parts, workers.most > Workers ? parts : 0);
        EXPECT_TRUE(workers.most >= 2 || workers.parts == 0);
        EXPECT_TRUE(memory.is_whole());
    }
}

/// Evaluates by so many workers, one after the other, and returns how many parts they had.
template <std::size_t Workers, class Destination, class Expression>
std::size_t parts_of(Destination&& y, const Expression& e) {
    static guarded_workspace<workspace_bytes_into<std::remove_cvref_t<Destination>, Expression, Workers>> memory;
    backwards workers{Workers};
    evaluate(y, e, memory.scratch, workers);
    EXPECT_TRUE(memory.is_whole());
    return workers.parts;
}

template <std::size_t Tokens, std::size_t Width>
void attentions(const auto& mask) {
    using rows = tensor<float, 3, Tokens, Width>;
    static const rows q = filled<rows>(1), k = filled<rows>(2), v = filled<rows>(3);
    expect_same_bits<5, rows>(attention(q, k, v, mask), 3);
}

}  // namespace

// Packed last columns, as of 50, add in an order of their own for each number of rows: then a product is not shared.
TEST(executor, products) {
    static const auto a = filled<tensor<float, 300, 70>>(1);
    static const auto whole = filled<tensor<float, 70, 48>>(2);
    static const auto part = filled<tensor<float, 70, 50>>(3);
    expect_same_bits<5, tensor<float, 300, 48>>(gelu(matmul(a, whole)), 4);
    expect_same_bits<5, tensor<float, 300, 50>>(gelu(matmul(a, part)), 0);
    expect_same_bits<5, tensor<float, 300, 50>>(softmax(matmul(a, part)), 3);
}

TEST(executor, rows) {
    using matrix = tensor<float, 300, 70>;
    static const matrix a = filled<matrix>(1);
    expect_same_bits<5, tensor<float, 70, 300>>(transpose(softmax(a)), 0);
    expect_same_bits<5, tensor<float, 300>>(sum<1>(a * a), 4);
    expect_same_bits<2, tensor<float, 70>>(max<0>(a + 1.0f), 0);
}

TEST(executor, attention) {
    attentions<17, 16>(keys_below(8));
    attentions<100, 24>(causal);
}

// Rows that are read where they are written wait on the stack of their worker.
TEST(executor, in_place) {
    static const auto w = filled<tensor<float, 48, 48>>(1);
    static auto x = filled<tensor<float, 128, 48>>(2);
    static const auto expected = eval(x + matmul(x, w));
    EXPECT_GE(parts_of<4>(x, x + matmul(x, w)), 4u);
    EXPECT_EQ(std::memcmp(x.data(), expected.data(), sizeof x), 0);
}

TEST(executor, strided_destination) {
    using square = tensor<float, 96, 96>;
    static const square a = filled<square>(1), b = filled<square>(2);
    static square expected, y;
    const auto e = softmax(matmul(a, b));
    using expression = std::remove_const_t<decltype(e)>;
    using destination = decltype(transpose(y));
    static_assert(workspace_bytes_into<destination, expression, 1> == workspace_bytes_into<destination, expression>);
    transpose(expected) = e;
    EXPECT_GE(parts_of<2>(transpose(y), e), 2u);
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0);
}

// What each tile adds to what the tiles before have given is no work for several.
TEST(executor, folds) {
    static const auto a = filled<tensor<float, 200, 64>>(1);
    static const auto w = filled<tensor<float, 64, 64>>(2);
    const auto flat = sum<0>(reshape<200 * 64>(exp(a)));
    const auto behind_product = sum(relu(matmul(softmax(a), w)));
    const tensor<float> expected = flat, expected_behind_product = behind_product;
    tensor<float> y;
    EXPECT_EQ(parts_of<4>(y, flat), 0u);
    EXPECT_EQ(y.data()[0], expected.data()[0]);
    parts_of<2>(y, behind_product);
    EXPECT_EQ(y.data()[0], expected_behind_product.data()[0]);
}

template <class Element, std::size_t Tokens>
void first_rows(const auto&... mask) {
    static const auto x = filled<tensor<Element, Tokens, 32>>(1);
    const auto e = attention(x, x, x, mask...);
    static workspace<workspace_bytes<std::remove_const_t<decltype(e)>, 5>> scratch;
    static tensor<Element, Tokens, 32> expected, y;
    for (const std::size_t rows : {Tokens, Tokens - 7, Tokens / 2 + 3}) {
        evaluate(expected, e, rows_below(rows));
        backwards serial{.most = 5};
        evaluate(y, e, scratch, serial, rows_below(rows));
        EXPECT_GE(serial.parts, 2u);
        EXPECT_EQ(std::memcmp(y.data(), expected.data(), rows * 32 * sizeof(Element)), 0) << rows << " of " << Tokens;
    }
}

// Scores at the edge of a mask, keys of a window, and exponentials computed with products are added in an order that
// depends on neighbouring rows and on the distance of a key from the first one of a tile.
TEST(executor, first_rows) {
    first_rows<float, 120>(causal);
    first_rows<double, 118>(sliding_window<9, 3>);
    first_rows<double, 64>();
}

TEST(executor, is_explained) {
    static const tensor<float, 128, 32> x{};
    const auto e = attention(x, x, x);
    EXPECT_TRUE(explain<2>(e).contains("for every 32 of 128 rows, which workers share"));
    EXPECT_TRUE(explain<2>(e).contains("of it for each"));
    EXPECT_FALSE(explain(e).contains("worker"));
}

// A workspace for one does for all.
TEST(executor, scratch) {
    static const auto x = filled<tensor<float, 128, 32>>(1);
    const auto e = attention(x, x, x);
    using expression = std::remove_const_t<decltype(e)>;
    constexpr std::size_t one = workspace_bytes<expression>, two = workspace_bytes<expression, 2>;
    static_assert(one == workspace_bytes<expression, 1> && two > one && workspace_bytes<expression, 4> > two);
    static workspace<one> scratch;
    static tensor<float, 128, 32> y;
    evaluate(y, e, scratch, backwards{.most = 4});
    EXPECT_TRUE(all(y == eval(e)));
}

TEST(executor, constant_expressions) {
    constexpr auto y = [] {
        tensor<float, 2, 2> out{}, x{1, 2, 3, 4};
        workspace<workspace_bytes<decltype(matmul(x, x)), 2>> scratch{};
        evaluate(out, matmul(x, x), scratch, threads{2});
        return out;
    }();
    static_assert(y(1, 1) == 22.0f);
}

// All layers of a stack. Their results alternate between the destination and scratch.
TEST(executor, sequences) {
    using module = nn::encoder<{.layer = {.embed = 32, .heads = 2, .hidden = 64}, .layers = 3}>;
    using rows = tensor<float, 64, 32>;
    static module encoder;
    nn::init::generator random(7);
    nn::init::reset_parameters(encoder, random);
    static rows x = filled<rows>(1), y;
    using expression = decltype(encoder(x));
    static guarded_workspace<workspace_bytes<expression, 2>> memory;
    static_assert(workspace_bytes<expression, 2> > workspace_bytes<expression>);
    static const rows expected = encoder(x);
    backwards workers{.most = 2};
    evaluate(y, encoder(x), memory.scratch, workers);
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0);
    EXPECT_GE(workers.parts, 3u * 2u);
    workers.on_threads = true;
    evaluate(x, encoder(x), memory.scratch, workers);
    EXPECT_EQ(std::memcmp(x.data(), expected.data(), sizeof x), 0);
    EXPECT_TRUE(memory.is_whole());
}
