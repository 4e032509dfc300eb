// SPDX-License-Identifier: BSL-1.0
// Few rows of a plan whose workers share tiles of rows: they share columns of products instead, with the bits of one.
#include <cstring>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

#include "support/executors.hpp"

using namespace ashlar;
using support::backwards, support::filled, support::guarded_workspace, support::threads;

namespace {

using layer_type = nn::encoder_layer<{.embed = 192, .heads = 6, .hidden = 768}>;
using rows = tensor<float, 128, 192>;

layer_type& random_layer() {
    static layer_type layer;
    nn::init::generator random(7);
    nn::init::reset_parameters(layer, random);
    return layer;
}

const rows& input() {
    static const rows x = filled<rows>(1);
    return x;
}

using expression = decltype(random_layer()(input(), keys_below(1)));
constexpr std::size_t bytes = workspace_bytes<expression, 2>;

/// The maximum number of rows for which two workers share the columns.
template <class Limit>
constexpr std::size_t few_of = [] {
    using plans = detail::shared_plans<expression, current_config, detail::row_major<expression>(), Limit>;
    return plans::template rows_by_columns_with<typename plans::template of_bytes<bytes>>(bytes);
}();
constexpr std::size_t few = few_of<detail::rows_below_count>;
static_assert(few >= 16 && few <= 32, "a tile, or half of one");
static_assert(few_of<detail::all_rows> == 0);

bool have_same_rows(const rows& a, const rows& b, std::size_t n) {
    return std::memcmp(a.data(), b.data(), n * 192 * sizeof(float)) == 0;
}

}  // namespace

TEST(executor_few_rows, bits_and_parts) {
    const layer_type& layer = random_layer();
    static rows expected, y;
    static guarded_workspace<bytes> memory;
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 32u, 33u, 100u, 128u}) {
        evaluate(expected, layer(input(), keys_below(n)), memory.scratch, rows_below(n));
        for (const std::size_t workers : {1u, 2u}) {
            std::memset(static_cast<void*>(y.data()), 0xff, sizeof y);
            backwards serial{.most = workers};
            evaluate(y, layer(input(), keys_below(n)), memory.scratch, serial, rows_below(n));
            EXPECT_TRUE(have_same_rows(y, expected, n)) << n << " rows, " << workers << " workers";
            if (workers == 2 && n != 0 && n <= few) {
                EXPECT_GE(serial.parts, 12u) << n;
            }
        }
        evaluate(y, layer(input(), keys_below(n)), memory.scratch, threads{2}, rows_below(n));
        EXPECT_TRUE(have_same_rows(y, expected, n)) << n << " rows, 2 threads";
        // All keys: keys and values of all rows are computed, by columns as well.
        evaluate(expected, layer(input(), keys_below(128)), memory.scratch, rows_below(n));
        evaluate(y, layer(input(), keys_below(128)), memory.scratch, rows_below(n), backwards{.most = 2});
        EXPECT_TRUE(have_same_rows(y, expected, n)) << n << " rows of 128 keys";
        EXPECT_TRUE(memory.is_whole());
    }
}

// Rows that are read where they are written.
TEST(executor_few_rows, in_place) {
    const layer_type& layer = random_layer();
    static rows expected, x;
    static workspace<bytes> scratch;
    for (const std::size_t n : {1u, 16u, 33u}) {
        x = expected = input();
        evaluate(expected, layer(expected, keys_below(n)), scratch, rows_below(n));
        evaluate(x, layer(x, keys_below(n)), scratch, backwards{.most = 2}, rows_below(n));
        EXPECT_TRUE(have_same_rows(x, expected, n)) << n;
    }
}

// Both plans, and those of the layers of a model.
TEST(executor_few_rows, are_explained) {
    const auto both = explain<2>(random_layer()(input(), keys_below(1)), rows_below(1));
    EXPECT_TRUE(both.contains("where rows_below asks for no more than"));
    EXPECT_TRUE(both.contains("columns that workers share"));
    EXPECT_TRUE(both.contains("where it asks for more:\nplan of"));
    static nn::encoder<{.layer = {.embed = 32, .heads = 2, .hidden = 64}, .layers = 2}> encoder{};
    static const tensor<float, 128, 32> x{};
    EXPECT_TRUE(explain<2>(encoder(x)).contains("which workers share"));
    EXPECT_FALSE(explain(encoder(x)).contains("workers"));
}
