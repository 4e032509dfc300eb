// SPDX-License-Identifier: BSL-1.0
// Many rows by matrices in 8 bits: rounded a tile at a time, so that scratch is a constant, whoever computes them.
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>
#include <support/executors.hpp>
#include <support/quantized_products.hpp>
#include <support/random.hpp>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;
using support::backwards, support::expect_same, support::products;

template <auto Rows, auto Depth, auto Columns>
using product =
    decltype(matmul(std::declval<tensor<float, Rows, Depth>&>(), std::declval<quantized<float, Depth, Columns>&>()));

// Scratch does not grow with the rows, and never takes all of the stack that there is.
static_assert(workspace_bytes<product<4096, 384, 64>> <= workspace_bytes<product<128, 384, 64>>);
static_assert(workspace_bytes<product<4099, 384, 64>> <= workspace_bytes<product<128, 384, 64>>);
static_assert(workspace_bytes<product<4096, 512, 64>> <= workspace_bytes<product<128, 512, 64>>);
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
struct extents {
    static constexpr std::size_t m = M, n = N, k = K;
};
template <class>
class quantized_tiles : public testing::Test {};
using cases = testing::Types<extents<127, 3, 67>, extents<129, 33, 67>, extents<257, 17, 61>, extents<331, 5, 1031>,
                             extents<67, 19, 4099>>;
TYPED_TEST_SUITE(quantized_tiles, cases);

TYPED_TEST(quantized_tiles, products_are_exact) {
    constexpr std::size_t m = TypeParam::m, n = TypeParam::n, k = TypeParam::k;
    support::random_numbers random(21);
    static tensor<float, m, k> x;
    static quantized<float, k, n> q;
    random.fill_normal(x);
    static const auto w = random.template normal<float, k, n>();
    quantize(q, w);
    const auto e = matmul(x, q);
    struct {
        workspace<workspace_bytes<decltype(e)>> scratch;
        unsigned char guard[64];
    } static memory;
    for (auto* p = reinterpret_cast<unsigned char*>(&memory); p != reinterpret_cast<unsigned char*>(&memory + 1); ++p)
        *p = 0xFF;  // floats of NaN
    tensor<float, m, n> y;
    evaluate(y, e, memory.scratch);
    expect_same(y, products(x, q));
    for (const unsigned char c : memory.guard) ASSERT_EQ(c, 0xFF);
}

TEST(quantized_tiles_of, batches_workers_and_some_rows) {
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

TEST(quantized_tiles_of, one_matrix_of_rows_and_workers) {
    support::random_numbers random(25);
    static tensor<float, 467, 523> x;
    random.fill_normal(x);
    static const auto q = quantize(random.normal<float, 523, 21>());
    const auto e = matmul(x, q);
    static tensor<float, 467, 21> y;
    static workspace<workspace_bytes<std::remove_const_t<decltype(e)>, 3>> shared;
    backwards serial{.most = 3};
    evaluate(y, e, shared, serial);
    EXPECT_EQ(serial.parts, 3u) << "rows are shared";
    expect_same(y, products(x, q));
}

// Each tile's rows are read before they are written.
TEST(quantized_tiles_of, rows_in_place) {
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
TEST(quantized_tiles_of, masked_depth) {
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

TEST(quantized_tiles_of, the_plan_shows_them) {
    static const tensor<float, 1024, 384> x{};
    static const quantized<float, 384, 48> q{};
    const auto shown = explain(matmul(x, q));
    const std::string_view plan(shown.c_str());
    EXPECT_NE(plan.find("for every " + std::to_string(tile_rows<product<1024, 384, 48>>()) + " of 1,024 rows"),
              std::string_view::npos)
        << plan;
}

}  // namespace
