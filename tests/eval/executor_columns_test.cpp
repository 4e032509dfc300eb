// SPDX-License-Identifier: BSL-1.0
// Where rows are few, workers share products by blocks of columns and attention by heads: with the bits of one, and
// each column computed once. A plan that shares tiles of rows has another plan for few rows.
#include <cstring>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

#include "support/executors.hpp"

using namespace ashlar;
using support::backwards, support::filled, support::guarded_workspace;

namespace {

template <std::size_t Workers, class Expression>
inline constexpr bool shares_columns =
    detail::shared_plans<Expression, current_config, detail::row_major<Expression>()>::is_by_columns(Workers);

/// The same bits as one worker, in at least so many parts where several workers are offered.
template <std::size_t Workers, class Expression>
void expect_same_bits(const Expression& e, std::size_t parts) {
    using result = detail::value_tensor<Expression>;
    static result expected, y;
    static guarded_workspace<workspace_bytes<Expression, Workers>> memory;
    evaluate(expected, e);
    for (const std::size_t most : {std::size_t{1}, std::size_t{2}, Workers, Workers + 5})
        for (const bool on_threads : {false, true}) {
            std::memset(static_cast<void*>(y.data()), 0xff, sizeof y);
            backwards executor{.most = most, .on_threads = on_threads};
            evaluate(y, e, memory.scratch, executor);
            EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0) << most << " of " << Workers << " workers";
            if (most > 1) {
                EXPECT_GE(executor.parts, parts) << most << " of " << Workers << " workers";
            }
            EXPECT_TRUE(memory.is_whole());
        }
}

using layer_type = nn::encoder_layer<{.embed = 192, .heads = 6, .hidden = 768}>;

template <class Module>
Module& random_module() {
    static Module module;
    nn::init::generator random(7);
    nn::init::reset_parameters(module, random);
    return module;
}

template <class Element, std::size_t Columns, class Weight = Element>
const auto& packed_weights() {
    static const tensor<Weight, 500, Columns> plain = cast<Weight>(filled<tensor<Element, 500, Columns>>(2));
    static packed<Weight, 500, Columns> weights;
    pack(weights, plain);
    return weights;
}

template <class Element, std::size_t Rows, std::size_t Columns, class Weight = Element>
void products() {
    SCOPED_TRACE(Rows);
    static const auto a = filled<tensor<Element, Rows, 500>>(1);
    expect_same_bits<7>(softmax(matmul(a, packed_weights<Element, Columns, Weight>())), 2);
}

std::size_t calls = 0;
inline constexpr auto counted = [](float x) {
    ++calls;
    return x;
};

}  // namespace

TEST(executor_columns, products) {
    products<float, 1, 512>();
    products<double, 17, 392>();
    products<float, 24, 512, bf16>();
}

TEST(executor_columns, are_computed_once) {
    static const auto a = filled<tensor<float, 5, 500>>(1), added = filled<tensor<float, 5, 500>>(3);
    static tensor<float, 5, 500> expected, y;
    const auto e = map(counted, matmul(a, packed_weights<float, 500>()) + added);
    static workspace<workspace_bytes<std::remove_const_t<decltype(e)>, 3>> scratch;
    calls = 0;
    evaluate(expected, e);
    const std::size_t of_one = calls;
    backwards serial{.most = 3};
    calls = 0;
    evaluate(y, e, scratch, serial);
    EXPECT_EQ(serial.parts, 3u);
    EXPECT_EQ(calls, of_one);
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0);
}

// Rows that are read where they are written wait in one copy for all workers.
TEST(executor_columns, in_place) {
    static auto x = filled<tensor<float, 32, 500>>(1), expected = x;
    const auto e = softmax(x + matmul(x, packed_weights<float, 500>()));
    using expression = std::remove_const_t<decltype(e)>;
    static_assert(shares_columns<4, expression>);
    static workspace<workspace_bytes<expression, 4>> scratch;
    expected = e;
    backwards serial{.most = 4};
    evaluate(x, e, scratch, serial);
    EXPECT_EQ(std::memcmp(x.data(), expected.data(), sizeof x), 0);
    EXPECT_GE(serial.parts, 4u);
}

// Keys, values, queries, heads, and three products behind them.
TEST(executor_columns, sequences) {
    const auto& encoder =
        random_module<nn::encoder<{.layer = {.embed = 192, .heads = 6, .hidden = 768}, .layers = 2}>>();
    static auto x = filled<tensor<float, 20, 192>>(1), expected = x;
    using expression = decltype(encoder(x));
    static guarded_workspace<workspace_bytes<expression, 3>> memory;
    expected = encoder(x);
    backwards pool{.most = 3, .on_threads = true};
    evaluate(x, encoder(x), memory.scratch, pool);
    EXPECT_EQ(std::memcmp(x.data(), expected.data(), sizeof x), 0);
    EXPECT_GE(pool.parts, 2 * 12u);
    EXPECT_TRUE(memory.is_whole());
}

// Workers share columns if sharing rows would make every worker read all weights for a few rows. They share rows if
// there are enough, or if reading the weights is faster than a meeting of the workers.
TEST(executor_columns, are_chosen) {
    using big = nn::feed_forward<{.embed = 384, .hidden = 1536}>;
    using small = nn::feed_forward<{.embed = 32, .hidden = 64}>;
    using of_16 = decltype(std::declval<big&>()(std::declval<tensor<float, 16, 384>&>()));
    using of_32 = decltype(std::declval<big&>()(std::declval<tensor<float, 32, 384>&>()));
    using of_128 = decltype(std::declval<big&>()(std::declval<tensor<float, 128, 384>&>()));
    using of_512 = decltype(std::declval<big&>()(std::declval<tensor<float, 512, 384>&>()));
    using of_small = decltype(std::declval<small&>()(std::declval<tensor<float, 32, 32>&>()));
    static_assert(shares_columns<2, of_16> && shares_columns<2, of_32> && !shares_columns<2, of_128>);
    static_assert(!shares_columns<2, of_small>);
    // A meeting of many workers takes longer: 64 share 512 rows, which are fewer tiles than workers.
    static_assert(shares_columns<64, of_32> && !shares_columns<64, of_512>);
}

TEST(executor_columns, are_explained) {
    static const tensor<float, 20, 192> x{};
    const auto e = random_module<layer_type>()(x);
    const auto text = explain<2>(e);
    EXPECT_TRUE(text.contains("columns that workers share"));
    EXPECT_TRUE(text.contains("for each of 6, which workers share"));
    EXPECT_FALSE(explain(e).contains("workers"));
}

namespace {

using rows = tensor<float, 128, 192>;
const rows input = filled<rows>(1);

using few_rows = decltype(random_module<layer_type>()(input, keys_below(1)));
constexpr std::size_t bytes = workspace_bytes<few_rows, 2>;

/// The maximum number of rows for which two workers share the columns.
template <class Limit>
constexpr std::size_t few_of = [] {
    using plans = detail::shared_plans<few_rows, current_config, detail::row_major<few_rows>(), Limit>;
    return plans::template rows_by_columns_with<typename plans::template of_bytes<bytes>>(bytes);
}();
constexpr std::size_t few = few_of<detail::rows_below_count>;
static_assert(few >= 16 && few <= 32, "a tile, or half of one");
static_assert(few_of<detail::all_rows> == 0);

bool have_same_rows(const rows& a, const rows& b, std::size_t n) {
    return std::memcmp(a.data(), b.data(), n * 192 * sizeof(float)) == 0;
}

}  // namespace

TEST(executor_columns_of_few_rows, bits_and_parts) {
    const layer_type& layer = random_module<layer_type>();
    static rows expected, y;
    static guarded_workspace<bytes> memory;
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 32u, 33u, 100u, 128u}) {
        evaluate(expected, layer(input, keys_below(n)), memory.scratch, rows_below(n));
        for (const std::size_t workers : {1u, 2u})
            for (const bool on_threads : {false, true}) {
                std::memset(static_cast<void*>(y.data()), 0xff, sizeof y);
                backwards executor{.most = workers, .on_threads = on_threads};
                evaluate(y, layer(input, keys_below(n)), memory.scratch, executor, rows_below(n));
                EXPECT_TRUE(have_same_rows(y, expected, n)) << n << " rows, " << workers << " workers";
                if (workers == 2 && n != 0 && n <= few) {
                    EXPECT_GE(executor.parts, 12u) << n;
                }
            }
        backwards executor{.most = 2};
        // All keys: keys and values of all rows are computed, by columns as well.
        evaluate(expected, layer(input, keys_below(128)), memory.scratch, rows_below(n));
        evaluate(y, layer(input, keys_below(128)), memory.scratch, executor, rows_below(n));
        EXPECT_TRUE(have_same_rows(y, expected, n)) << n << " rows of 128 keys";
        // Rows that are read where they are written.
        evaluate(expected, layer(input, keys_below(n)), memory.scratch, rows_below(n));
        y = input;
        evaluate(y, layer(y, keys_below(n)), memory.scratch, executor, rows_below(n));
        EXPECT_TRUE(have_same_rows(y, expected, n)) << n << " rows in place";
        EXPECT_TRUE(memory.is_whole());
    }
}

// Both plans, and those of the layers of a model.
TEST(executor_columns_of_few_rows, are_explained) {
    const auto both = explain<2>(random_module<layer_type>()(input, keys_below(1)), rows_below(1));
    EXPECT_TRUE(both.contains("for rows_below of at most"));
    EXPECT_TRUE(both.contains("columns that workers share"));
    EXPECT_TRUE(both.contains("for more rows:\nplan of"));
    static nn::encoder<{.layer = {.embed = 32, .heads = 2, .hidden = 64}, .layers = 2}> encoder{};
    static const tensor<float, 128, 32> x{};
    EXPECT_TRUE(explain<2>(encoder(x)).contains("which workers share"));
    EXPECT_FALSE(explain(encoder(x)).contains("workers"));
}
