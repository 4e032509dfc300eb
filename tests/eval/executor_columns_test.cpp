// SPDX-License-Identifier: BSL-1.0
// Where rows are few, workers share products by blocks of columns and attention by heads: with the bits of one, and
// each column computed once.
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

template <std::size_t Workers, class Expression>
inline constexpr bool shares_columns =
    detail::shared_plans<Expression, current_config, detail::row_major<Expression>()>::is_by_columns(Workers);

/// The same bits as `expected`, in at least so many parts where several workers are offered.
template <std::size_t Workers, class Result, class Expression>
void expect_same_bits_by(const Expression& e, const Result& expected, std::size_t parts) {
    static Result y;
    static guarded_workspace<workspace_bytes<Expression, Workers>> memory;
    for (const std::size_t most : {std::size_t{1}, std::size_t{2}, Workers, Workers + 5}) {
        std::memset(static_cast<void*>(y.data()), 0xff, sizeof y);
        backwards serial{.most = most};
        evaluate(y, e, memory.scratch, serial);
        EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0) << most << " of " << Workers << " workers";
        if (most > 1) {
            EXPECT_GE(serial.parts, parts) << most << " of " << Workers << " workers";
        }
        EXPECT_TRUE(memory.is_whole());
    }
    std::memset(static_cast<void*>(y.data()), 0xff, sizeof y);
    backwards pool{.most = Workers, .on_threads = true};
    evaluate(y, e, memory.scratch, pool);
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0) << Workers << " threads";
    EXPECT_TRUE(memory.is_whole());
}

template <std::size_t Workers, class Result, class Expression>
void expect_same_bits(const Expression& e, std::size_t parts) {
    static Result expected;
    static workspace<workspace_bytes<Expression>> scratch;
    evaluate(expected, e, scratch);
    expect_same_bits_by<Workers>(e, expected, parts);
}

using layer_type = nn::encoder_layer<{.embed = 192, .heads = 6, .hidden = 768}>;

layer_type& random_layer() {
    static layer_type layer;
    nn::init::generator random(7);
    nn::init::reset_parameters(layer, random);
    return layer;
}

template <std::size_t Tokens, std::size_t Workers>
void layers(std::size_t parts) {
    SCOPED_TRACE(Tokens);
    using rows = tensor<float, Tokens, 192>;
    static const rows x = filled<rows>(1);
    const layer_type& layer = random_layer();
    expect_same_bits<Workers, rows>(layer(x), parts);
}

template <class Element, std::size_t Columns>
const auto& packed_weights() {
    static const tensor<Element, 500, Columns> plain = filled<tensor<Element, 500, Columns>>(2);
    static packed<Element, 500, Columns> weights;
    pack(weights, plain);
    return weights;
}

template <class Element, std::size_t Rows, std::size_t Columns>
void products(const auto& epilogue) {
    SCOPED_TRACE(Rows);
    SCOPED_TRACE(Columns);
    using left = tensor<Element, Rows, 500>;
    using result = tensor<Element, Rows, Columns>;
    static const left a = filled<left>(1);
    const auto& b = packed_weights<Element, Columns>();
    expect_same_bits<7, result>(epilogue(matmul(a, b)), 2);
}

std::size_t calls = 0;
inline constexpr auto counted = [](float x) {
    ++calls;
    return x;
};

}  // namespace

// Keys, values, queries, heads, and three products behind them.
TEST(executor_columns, layers) {
    layers<1, 7>(12);
    layers<20, 2>(12);
}

TEST(executor_columns, products) {
    static const auto added = filled<tensor<float, 5, 500>>(3);
    const auto weights = [](const auto& scores) { return softmax(scores); };
    products<float, 1, 512>(weights);
    products<float, 5, 500>([](const auto& x) { return gelu(x) + added; });
    products<double, 17, 392>(weights);
}

TEST(executor_columns, weights_of_16_bits) {
    using module = nn::feed_forward<{.embed = 192, .hidden = 1536}, float, bf16>;
    using rows = tensor<float, 24, 192>;
    static module layer;
    nn::init::generator random(3);
    nn::init::reset_parameters(layer, random);
    static const rows x = filled<rows>(1);
    expect_same_bits<2, rows>(layer(x), 4);
}

TEST(executor_columns, are_computed_once) {
    static const auto a = filled<tensor<float, 24, 500>>(1);
    const auto& b = packed_weights<float, 500>();
    static tensor<float, 24, 500> y;
    const auto e = map(counted, matmul(a, b));
    static workspace<workspace_bytes<std::remove_const_t<decltype(e)>, 3>> scratch;
    calls = 0;
    evaluate(y, e, scratch);
    const std::size_t of_one = calls;
    backwards serial{.most = 3};
    calls = 0;
    evaluate(y, e, scratch, serial);
    EXPECT_EQ(serial.parts, 3u);
    EXPECT_EQ(calls, of_one);
}

// Rows that are read where they are written wait in one copy for all workers.
TEST(executor_columns, in_place) {
    using rows = tensor<float, 32, 192>;
    using module = nn::feed_forward<{.embed = 192, .hidden = 1024}>;
    static module layer;
    nn::init::generator random(3);
    nn::init::reset_parameters(layer, random);
    static rows x = filled<rows>(1), expected;
    using expression = decltype(softmax(x + layer(x)));
    static_assert(shares_columns<4, expression>);
    static workspace<workspace_bytes<expression, 4>> scratch;
    expected = softmax(x + layer(x));
    backwards serial{.most = 4};
    evaluate(x, softmax(x + layer(x)), scratch, serial);
    EXPECT_EQ(std::memcmp(x.data(), expected.data(), sizeof x), 0);
    EXPECT_GE(serial.parts, 8u);
}

TEST(executor_columns, first_rows) {
    using rows = tensor<float, 32, 192>;
    static const rows x = filled<rows>(1);
    const layer_type& layer = random_layer();
    static rows expected, y;
    for (const std::size_t n : {1u, 8u, 16u, 17u, 31u, 32u}) {
        using expression = decltype(layer(x, keys_below(n)));
        static workspace<workspace_bytes<expression, 2>> scratch;
        evaluate(expected, layer(x, keys_below(n)), scratch, rows_below(n));
        backwards serial{.most = 2};
        evaluate(y, layer(x, keys_below(n)), scratch, serial, rows_below(n));
        EXPECT_EQ(std::memcmp(y.data(), expected.data(), n * 192 * sizeof(float)), 0) << n;
        EXPECT_GE(serial.parts, 12u) << n;
    }
}

TEST(executor_columns, sequences) {
    using module = nn::encoder<{.layer = {.embed = 192, .heads = 6, .hidden = 768}, .layers = 2}>;
    using rows = tensor<float, 32, 192>;
    static module encoder;
    nn::init::generator random(7);
    nn::init::reset_parameters(encoder, random);
    static rows x = filled<rows>(1), expected;
    using expression = decltype(encoder(x));
    static guarded_workspace<workspace_bytes<expression, 3>> memory;
    expected = encoder(x);
    evaluate(x, encoder(x), memory.scratch, threads{3});
    EXPECT_EQ(std::memcmp(x.data(), expected.data(), sizeof x), 0);
    EXPECT_TRUE(memory.is_whole());
}

// Workers share columns if sharing rows would make every worker read all weights for a few rows. They share rows if
// there are enough, or if reading the weights is faster than a meeting of the workers.
TEST(executor_columns, are_chosen) {
    using big = nn::encoder_layer<{.embed = 384, .heads = 12, .hidden = 1536}>;
    using small = nn::encoder_layer<{.embed = 32, .heads = 2, .hidden = 64}>;
    using of_16 = decltype(std::declval<big&>()(std::declval<tensor<float, 16, 384>&>()));
    using of_32 = decltype(std::declval<big&>()(std::declval<tensor<float, 32, 384>&>()));
    using of_128 = decltype(std::declval<big&>()(std::declval<tensor<float, 128, 384>&>()));
    using of_small = decltype(std::declval<small&>()(std::declval<tensor<float, 32, 32>&>()));
    static_assert(shares_columns<2, of_16> && shares_columns<2, of_32> && !shares_columns<2, of_128>);
    static_assert(!shares_columns<2, of_small>);
    // Many meet for longer: a tile of 16 rows each is less than 22 meetings of 64, where 16 have a part of the columns.
    static_assert(shares_columns<64, of_32> && !shares_columns<64, of_128>);
}

TEST(executor_columns, are_explained) {
    using rows = tensor<float, 32, 192>;
    static const rows x{};
    const auto e = random_layer()(x);
    const auto plan = explain<2>(e);
    const std::string_view text(plan.c_str());
    EXPECT_NE(text.find("columns that workers share"), std::string_view::npos);
    EXPECT_NE(text.find("for each of 6, which workers share"), std::string_view::npos);
    EXPECT_EQ(std::string_view(explain(e).c_str()).find("workers"), std::string_view::npos);
}
