// SPDX-License-Identifier: BSL-1.0
// Evaluations that several workers share have the bits of one, whoever runs which part, and are shared indeed.
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

static_assert(executor<backwards> && executor<threads&> && !executor<int> && !executor<workspace<64>>);

template <std::size_t Workers, class Result, class Expression>
void expect_same_bits_by(const Expression& e, const Result& expected, std::size_t parts) {
    static Result y;
    static guarded_workspace<workspace_bytes<Expression, Workers>> memory;
    for (const std::size_t most : {std::size_t{0}, std::size_t{1}, std::size_t{2}, Workers, Workers + 5}) {
        std::memset(static_cast<void*>(y.data()), 0xff, sizeof y);
        backwards serial{.most = most};
        evaluate(y, e, memory.scratch, serial);
        EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0) << most << " of " << Workers << " workers";
        if (most > Workers) {
            EXPECT_GE(serial.parts, parts) << most << " of " << Workers << " workers";
        }
        if (most < 2) {
            EXPECT_EQ(serial.parts, 0u);
        }
        EXPECT_TRUE(memory.is_whole());
    }
    std::memset(static_cast<void*>(y.data()), 0xff, sizeof y);
    backwards pool{.most = Workers, .on_threads = true};
    evaluate(y, e, memory.scratch, pool);
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0) << Workers << " threads";
    EXPECT_TRUE(memory.is_whole());
}

/// By a plan for so many workers; all loops together have at least so many parts.
template <std::size_t Workers, class Result, class Expression>
void expect_same_bits(const Expression& e, std::size_t parts) {
    static Result expected;
    static workspace<workspace_bytes<Expression>> scratch;
    evaluate(expected, e, scratch);
    expect_same_bits_by<Workers>(e, expected, parts);
}

/// Packed last columns, as of 50, add in an order of their own for each number of rows: then a product is not shared.
template <std::size_t Rows, std::size_t Columns>
void products() {
    using left = tensor<float, Rows, 70>;
    using right = tensor<float, 70, Columns>;
    static const left a = filled<left>(1);
    static const right b = filled<right>(2);
    constexpr bool several = Rows >= 64, whole = several && Columns % 16 == 0;
    expect_same_bits<5, tensor<float, Rows, Columns>>(gelu(matmul(a, b)), whole ? 4 : 0);
    expect_same_bits<5, tensor<float, Rows, Columns>>(softmax(matmul(a, b)), several ? 3 : 0);
}

template <std::size_t Tokens>
void attentions(const auto& mask) {
    using rows = tensor<float, 3, Tokens, 24>;
    static const rows q = filled<rows>(1), k = filled<rows>(2), v = filled<rows>(3);
    expect_same_bits<5, rows>(attention(q, k, v, mask), 3);
}

template <std::size_t Tokens, std::size_t Workers>
void layers(std::size_t parts) {
    using module = nn::encoder_layer<{.embed = 96, .heads = 4, .hidden = 200}>;
    using rows = tensor<float, Tokens, 96>;
    static module layer;
    nn::init::generator random(7);
    nn::init::reset_parameters(layer, random);
    static const rows x = filled<rows>(1);
    expect_same_bits<Workers, rows>(layer(x), parts);
}

}  // namespace

TEST(executor, products) {
    products<33, 48>();
    products<300, 50>();
}

TEST(executor, rows) {
    using matrix = tensor<float, 300, 70>;
    static const matrix a = filled<matrix>(1);
    expect_same_bits<5, tensor<float, 70, 300>>(transpose(softmax(a)), 0);
    expect_same_bits<5, tensor<float, 300>>(sum<1>(a * a), 4);
    expect_same_bits<2, tensor<float, 70>>(max<0>(a + 1.0f), 0);
}

TEST(executor, attention) {
    attentions<17>(keys_below(8));
    attentions<100>(causal);
}

TEST(executor, layers) { layers<100, 5>(6); }

// Rows that are read where they are written wait on the stack of their worker.
TEST(executor, in_place) {
    using rows = tensor<float, 128, 48>;
    using module = nn::feed_forward<{.embed = 48, .hidden = 100}>;
    static module layer;
    nn::init::generator random(3);
    nn::init::reset_parameters(layer, random);
    static rows x = filled<rows>(1), expected;
    using expression = decltype(x + layer(x));
    static workspace<workspace_bytes<expression, 4>> scratch;
    expected = x + layer(x);
    backwards serial{.most = 4};
    evaluate(x, x + layer(x), scratch, serial);
    EXPECT_EQ(std::memcmp(x.data(), expected.data(), sizeof x), 0);
    EXPECT_GE(serial.parts, 4u);
}

TEST(executor, strided_destination) {
    using square = tensor<float, 96, 96>;
    static const square a = filled<square>(1), b = filled<square>(2);
    static square expected, y;
    const auto e = softmax(matmul(a, b));
    using expression = std::remove_const_t<decltype(e)>;
    static guarded_workspace<workspace_bytes_into<decltype(transpose(y)), expression, 2>> memory;
    static_assert(workspace_bytes_into<decltype(transpose(y)), expression, 1> ==
                  workspace_bytes_into<decltype(transpose(y)), expression>);
    transpose(expected) = e;
    backwards serial{.most = 2};
    evaluate(transpose(y), e, memory.scratch, serial);
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0);
    EXPECT_GE(serial.parts, 2u);
    EXPECT_TRUE(memory.is_whole());
}

// What each tile adds to what the tiles before have given is no work for several.
TEST(executor, folds) {
    using rows = tensor<float, 200, 96>;
    static const rows a = filled<rows>(1);
    const auto e = sum<0>(reshape<200 * 96>(exp(a)));
    using expression = std::remove_const_t<decltype(e)>;
    static workspace<workspace_bytes<expression, 4>> scratch;
    tensor<float> expected, y;
    expected = e;
    backwards serial{.most = 4};
    evaluate(y, e, scratch, serial);
    EXPECT_EQ(y.data()[0], expected.data()[0]);
    EXPECT_EQ(serial.shared, 0u);
}

TEST(executor, folds_behind_products) {
    static const auto x = filled<tensor<float, 200, 64>>(1);
    static const auto w = filled<tensor<float, 64, 64>>(2);
    const auto e = sum(relu(matmul(softmax(x), w)));
    using expression = std::remove_const_t<decltype(e)>;
    static workspace<workspace_bytes<expression, 2>> scratch;
    tensor<float> expected, y;
    expected = e;
    backwards serial{.most = 2};
    evaluate(y, e, scratch, serial);
    EXPECT_EQ(y.data()[0], expected.data()[0]);
}

template <class Element, std::size_t Tokens>
void first_rows(const auto&... mask) {
    static const auto x = filled<tensor<Element, Tokens, 32>>(1);
    static const auto v = filled<tensor<Element, Tokens, 64>>(2);
    const auto e = attention(x, x, v, mask...);
    static workspace<workspace_bytes<std::remove_const_t<decltype(e)>, 5>> scratch;
    static tensor<Element, Tokens, 64> expected, y;
    for (const std::size_t rows : {Tokens, Tokens - 7, Tokens / 2 + 3}) {
        evaluate(expected, e, rows_below(rows));
        backwards serial{.most = 5};
        evaluate(y, e, scratch, serial, rows_below(rows));
        EXPECT_GE(serial.parts, 2u);
        for (std::size_t i = 0; i < rows; ++i)
            EXPECT_EQ(std::memcmp(&y(i, 0), &expected(i, 0), 64 * sizeof(Element)), 0) << i << " of " << rows;
    }
}

// Scores at the edge of a mask, keys of a window, and exponentials computed with products are added in an order that
// depends on neighbouring rows and on the distance of a key from the first one of a tile.
TEST(executor, first_rows) {
    first_rows<float, 120>(causal);
    first_rows<float, 128>(causal);
    first_rows<double, 118>(sliding_window<9, 3>);
    first_rows<double, 64>();
}

TEST(executor, is_explained) {
    using rows = tensor<float, 128, 32>;
    static const rows x{};
    const auto e = attention(x, x, x);
    EXPECT_NE(std::string_view(explain<2>(e).c_str()).find("for every 32 of 128 rows, which workers share"),
              std::string_view::npos);
    EXPECT_NE(std::string_view(explain<2>(e).c_str()).find("of it for each"), std::string_view::npos);
    EXPECT_EQ(std::string_view(explain(e).c_str()).find("worker"), std::string_view::npos);
}

TEST(executor, scratch) {
    using rows = tensor<float, 128, 32>;
    using expression = decltype(attention(std::declval<rows&>(), std::declval<rows&>(), std::declval<rows&>()));
    constexpr std::size_t two = workspace_bytes<expression, 2>, three = workspace_bytes<expression, 3>,
                          four = workspace_bytes<expression, 4>;
    static_assert(workspace_bytes<expression, 1> == workspace_bytes<expression>);
    // A workspace for one does for all.
    static const rows x = filled<rows>(1);
    static workspace<workspace_bytes<expression>> scratch;
    static rows y;
    backwards serial{.most = 4};
    evaluate(y, attention(x, x, x), scratch, serial);
    static const rows expected = attention(x, x, x);
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0);
    static_assert(two > workspace_bytes<expression> && four > two && three > 0);
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
    using module = nn::encoder<{.layer = {.embed = 48, .heads = 4, .hidden = 100}, .layers = 3}>;
    using rows = tensor<float, 64, 48>;
    static module encoder;
    nn::init::generator random(7);
    nn::init::reset_parameters(encoder, random);
    static rows x = filled<rows>(1), expected, y;
    using expression = decltype(encoder(x));
    static guarded_workspace<workspace_bytes<expression, 2>> memory;
    static_assert(workspace_bytes<expression, 2> > workspace_bytes<expression>);
    expected = encoder(x);
    backwards serial{.most = 2};
    evaluate(y, encoder(x), memory.scratch, serial);
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0);
    EXPECT_GE(serial.parts, 3u * 2u);
    evaluate(x, encoder(x), memory.scratch, threads{2});
    EXPECT_EQ(std::memcmp(x.data(), expected.data(), sizeof x), 0);
    EXPECT_TRUE(memory.is_whole());
}
