// SPDX-License-Identifier: BSL-1.0
// Many rows by matrices in 8 bits: rounded a tile at a time, so that scratch is a constant, whoever computes them.
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>
#include <support/executors.hpp>
#include <support/quantized_products.hpp>
#include <support/random.hpp>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;
using support::backwards, support::expect_same, support::guarded_workspace, support::products;

template <auto Rows, auto Depth, auto Columns>
using product =
    decltype(matmul(std::declval<tensor<float, Rows, Depth>&>(), std::declval<quantized<float, Depth, Columns>&>()));

// Scratch does not grow with the rows, and never takes all of the stack that there is.
static_assert(workspace_bytes<product<4096, 384, 64>> <= workspace_bytes<product<128, 384, 64>>);
static_assert(workspace_bytes<product<4096, 1536, 64>> <= workspace_bytes<product<128, 1536, 64>>);
static_assert(workspace_bytes<product<100'000, 61, 64>> <= workspace_bytes<product<128, 61, 64>>);
static_assert(workspace_bytes<product<1024, 512, 64>> <= 128 * 1024);
static_assert(workspace_bytes<product<4096, 384, 64>, 3> <= 4 * workspace_bytes<product<128, 384, 64>>);

/// Rows of a tile at most, as the plan says how many of all rows it takes.
template <class Expression>
constexpr std::size_t tile_rows() {
    return detail::planned<Expression, current_config>::code.loops[0].tile;
}
// All rows where these are few: right operands are read once.
static_assert(tile_rows<product<128, 384, 64>>() == 128 && tile_rows<product<100, 384, 64>>() == 100);
static_assert(tile_rows<product<130, 384, 64>>() < 128, "two tiles of nearly as many rows");

template <std::size_t M, std::size_t N, std::size_t K>
void check_products() {
    SCOPED_TRACE(testing::Message() << M << " x " << K << " by " << N);
    support::random_numbers random(21);
    static tensor<float, M, K> x;
    static quantized<float, K, N> q;
    random.fill_normal(x);
    static const auto w = random.normal<float, K, N>();
    quantize(q, w);
    const auto e = matmul(x, q);
    static guarded_workspace<workspace_bytes<std::remove_const_t<decltype(e)>>> memory;
    tensor<float, M, N> y;
    evaluate(y, e, memory.scratch);
    expect_same(y, products(x, q));
    EXPECT_TRUE(memory.is_whole());
}
TEST(quantized_tiles, products_are_exact) {
    check_products<127, 3, 67>();
    check_products<257, 17, 61>();
    check_products<67, 19, 4099>();
}

TEST(quantized_tiles, batches_workers_and_some_rows) {
    support::random_numbers random(22);
    constexpr std::size_t rows = 211, depth = 521, columns = 19;
    static tensor<float, 2, rows, depth> x;
    random.fill_normal(x);
    static const auto q = quantize(random.normal<float, depth, columns>());
    const auto expected = products(x, q);
    const auto e = matmul(x, q);
    using type = std::remove_const_t<decltype(e)>;
    static tensor<float, 2, rows, columns> y;
    y = e;
    expect_same(y, expected);
    static workspace<workspace_bytes<type, 3>> shared;
    y = -77;
    evaluate(y, e, shared, backwards{.most = 3});
    expect_same(y, expected);
    const auto one = matmul(x[0], q);
    static tensor<float, rows, columns> z;
    static workspace<workspace_bytes<std::remove_const_t<decltype(one)>, 3>> of_rows;
    backwards serial{.most = 3};
    evaluate(z, one, of_rows, serial);
    EXPECT_EQ(serial.parts, 3u) << "rows are shared";
    for (std::size_t i = 0; i < z.size(); ++i) ASSERT_EQ(z.data()[i], expected[i]) << i;
    for (const std::size_t n : {1u, 64u, 65u, 131u, 211u}) {
        y = -77;
        evaluate(y, e, rows_below(n));
        for (std::size_t b = 0; b < 2; ++b)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < columns; ++j)
                    ASSERT_EQ(y(b, i, j), expected[(b * rows + i) * columns + j]) << n << " rows, " << i;
        y = -77;
        evaluate(y, e, shared, backwards{.most = 3}, rows_below(n));
        for (std::size_t i = 0; i < n * columns; ++i) ASSERT_EQ(y.data()[i], expected[i]) << n << " rows";
    }
}

// Each tile's rows are read before they are written.
TEST(quantized_tiles, rows_in_place) {
    support::random_numbers random(23);
    static tensor<float, 301, 523> x;
    random.fill_normal(x);
    static const auto w = random.normal<float, 523, 523>();
    static quantized<float, 523, 523> q;
    quantize(q, w);
    const auto expected = products(x, q);
    x = matmul(x, q);
    expect_same(x, expected);
}

// The rows of a softmax under a mask are divided and copied first; keys that a row does not see are zeros of it.
TEST(quantized_tiles, masked_depth) {
    support::random_numbers random(24);
    static tensor<float, 263, 263> s;
    random.fill_normal(s);
    static const auto q = quantize(random.normal<float, 263, 21>());
    s(262, 262) = std::numeric_limits<float>::quiet_NaN();
    const auto rows = masked(s, keys_below(262));
    static const tensor<float, 263, 263> weights = softmax(rows);
    static const tensor<float, 263, 21> y = matmul(softmax(rows), q);
    const auto expected = products(weights, q);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y.data()[i], expected[i], 0.01f) << i;
}

}  // namespace
