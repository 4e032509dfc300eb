// SPDX-License-Identifier: BSL-1.0
// Products with matrices in 8 bits whose outliers are spread: against loops, and their accuracy with outliers.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>
#include <support/quantized_products.hpp>
#include <support/random.hpp>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;
using support::expect_same, support::products;

template <std::size_t Rows, std::size_t Columns>
using smoothed_matrix = quantized<smoothed<float>, Rows, Columns>;

static_assert(sizeof(smoothed_matrix<64, 256>) == sizeof(quantized<float, 64, 256>));
static_assert(std::is_same_v<element_of<smoothed_matrix<64, 256>>, float>);
static_assert(std::is_trivially_copyable_v<smoothed_matrix<5, 7>> && alignof(smoothed_matrix<5, 7>) == 64);

// Groups have 16 blocks that are 16 entries apart or more, and four neighbours of each where four divide a block.
static_assert(detail::spread_of(384) == 64 && detail::spread_of(1536) == 64 && detail::spread_of(256) == 64);
static_assert(detail::spread_of(128) == 32 && detail::spread_of(64) == 16 && detail::spread_of(172) == 4);
static_assert(detail::spread_of(272) == 16 && detail::spread_of(96) == 16 && detail::spread_of(32) == 8);
static_assert(detail::spread_of(34) == 2 && detail::spread_of(31) == 1 && detail::spread_of(99) == 1);

template <std::size_t M, std::size_t N, std::size_t K>
void check_products() {
    SCOPED_TRACE(testing::Message() << M << " x " << K << " by " << N);
    support::random_numbers random(7);
    const auto x = random.normal<float, M, K>();
    smoothed_matrix<K, N> q;
    quantize(q, random.normal<float, K, N>());
    const tensor<float, M, N> y = matmul(x, q);
    expect_same(y, products(x, q));
}
// Groups of one entry or of four neighbours, in 1, 2, 4, 8 and 16 blocks.
TEST(smoothed, products_are_exact) {
    check_products<1, 1, 1>();
    check_products<4, 5, 99>();
    check_products<1, 33, 34>();
    check_products<2, 40, 32>();
    check_products<5, 20, 172>();
    check_products<8, 16, 64>();
    check_products<9, 47, 136>();
    check_products<7, 31, 272>();
    check_products<33, 18, 384>();
}

TEST(smoothed, products_in_expressions) {
    support::random_numbers random(7);
    const auto x = random.normal<float, 9, 136>();
    const auto w = random.normal<float, 136, 47>();
    const auto bias = random.normal<float, 47>();
    smoothed_matrix<136, 47> q;
    quantize(q, w);
    const tensor<float, 9, 47> chained = relu(matmul(x, q) + bias);
    const auto expected = products(x, q);
    for (std::size_t i = 0; i < chained.size(); ++i)
        ASSERT_NEAR(chained.data()[i], std::fmax(expected[i] + bias(i % 47), 0.0f),
                    1e-6f * (1 + std::fabs(expected[i])));
    tensor<float, 9, 136> doubled;
    for (std::size_t i = 0; i < x.size(); ++i) doubled.data()[i] = x.data()[i] * 2;
    const tensor<float, 9, 47> of_doubled = matmul(x * 2.0f, q);
    expect_same(of_doubled, products(doubled, q));
    // As elements it has the values that were rounded: half a step of each of those that an element was spread to.
    const tensor<float, 136, 47> rounded = q * 1.0f;
    for (std::size_t d = 0; d < 136; ++d)
        for (std::size_t j = 0; j < 47; ++j) {
            ASSERT_EQ(rounded(d, j), q(d, j));
            ASSERT_NEAR(rounded(d, j), w(d, j), 0.51f * q.scales[j]);
        }
}

/// How far products are from those of floats: the root of the squared differences by that of the squared products.
template <class Matrix, class X, class W>
double error(const X& x, const W& w) {
    static Matrix q;
    quantize(q, w);
    const auto y = eval(matmul(x, q)), exact = detail::constant_evaluate(matmul(x, w));
    double off = 0, all = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        off += std::pow(double(y.data()[i]) - double(exact.data()[i]), 2);
        all += std::pow(double(exact.data()[i]), 2);
    }
    return std::sqrt(off / all);
}

TEST(smoothed, outliers_of_rows_cost_little) {
    // As trained models have them: two columns are 30 times as large as others, and weights do with less of them.
    support::random_numbers random(3);
    auto x = random.normal<float, 12, 384>();
    auto w = random.normal<float, 384, 40>();
    for (const std::size_t column : {77u, 300u}) {
        for (std::size_t i = 0; i < 12; ++i) x(i, column) *= 30;
        for (std::size_t j = 0; j < 40; ++j) w(column, j) /= 30;
    }
    const double plain = error<quantized<float, 384, 40>>(x, w), spread = error<smoothed_matrix<384, 40>>(x, w);
    EXPECT_GT(plain, 0.09);
    EXPECT_LT(spread, 0.035);
    // Without outliers neither is better.
    const auto even = random.normal<float, 12, 384>();
    EXPECT_LT((error<smoothed_matrix<384, 40>>(even, w)), 0.013);
}

TEST(smoothed, rows_that_are_special) {
    support::random_numbers random(5);
    const auto w = random.normal<float, 64, 20>();
    smoothed_matrix<64, 20> q;
    quantize(q, w);
    auto x = random.normal<float, 5, 64>();
    constexpr float infinity = std::numeric_limits<float>::infinity(), most = (std::numeric_limits<float>::max)();
    for (std::size_t k = 0; k < 64; ++k) {
        x(1, k) = 0;
        x(4, k) = k % 2 == 0 ? most : -most;
    }
    [[maybe_unused]] const tensor<float, 5, 64> finite = x;
    x(0, 63) = std::numeric_limits<float>::quiet_NaN();
    x(3, 17) = infinity;
    tensor<float, 5, 20> y;
    y = matmul(x, q);
    for (std::size_t j = 0; j < 20; ++j) {
        EXPECT_EQ(y(1, j), 0);
#ifndef __FAST_MATH__
        EXPECT_TRUE(std::isnan(y(0, j)) && std::isnan(y(3, j)));
        EXPECT_FALSE(std::isnan(y(2, j)) || std::isnan(y(4, j)));
#endif
    }
    // Rows as great as floats are no special case, as long as the product is a float.
    smoothed_matrix<64, 20> small;
    const tensor<float, 64, 20> hundredth = detail::constant_evaluate(w * 0.001f);
    quantize(small, hundredth);
    y = matmul(finite, small);
    expect_same(y, products(finite, small));
    EXPECT_TRUE(std::isfinite(y(4, 0)));
}

constexpr auto numbers =
    generate<float, 3, 68>([](std::size_t i, std::size_t j) { return float((i * 31 + j * 17) % 23) - 11.5f; });
constexpr auto weights =
    generate<float, 68, 5>([](std::size_t i, std::size_t j) { return float((i * 13 + j * 29) % 31) / 16 - 1; });
constexpr auto in_constant = [] {
    smoothed_matrix<68, 5> q{};
    quantize(q, weights);
    return q;
}();
constexpr tensor<float, 3, 5> of_constant = matmul(numbers, in_constant);

TEST(smoothed, constant_expressions_give_the_same) {
    smoothed_matrix<68, 5> q;
    quantize(q, weights);
    const tensor<float, 3, 5> y = matmul(numbers, q);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y.data()[i], of_constant.data()[i]);
    for (std::size_t k = 0; k < 68; ++k)
        for (std::size_t j = 0; j < 5; ++j) ASSERT_EQ(q(k, j), in_constant(k, j));
}

TEST(smoothed, plans_show_it) {
    static smoothed_matrix<384, 64> q;
    static quantized<float, 384, 64> plain;
    static tensor<float, 20, 384> x;
    EXPECT_TRUE(explain(matmul(x, q)).contains("in 8 bits, outliers spread"));
    EXPECT_TRUE(explain(matmul(x, q)).contains("the left rows, outliers spread, in 8 bits"));
    EXPECT_FALSE(explain(matmul(x, plain)).contains("spread"));
    EXPECT_EQ(workspace_bytes<decltype(matmul(x, q))>, workspace_bytes<decltype(matmul(x, plain))>);
}

}  // namespace
