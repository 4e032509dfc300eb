// SPDX-License-Identifier: BSL-1.0
// Products with matrices in 8 bits against naive loops over integers, through everything that an expression does.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <support/differential.hpp>
#include <support/executors.hpp>
#include <support/quantized_products.hpp>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;
using support::expect_same, support::products;

// A quarter of the bytes of floats, and eight bytes for each column.
static_assert(sizeof(quantized<float, 64, 256>) == 64 * 256 + 8 * 256);
static_assert(std::is_trivially_copyable_v<quantized<float, 5, 7>> && alignof(quantized<float, 5, 7>) == 64);
static_assert(std::is_same_v<decltype(quantize(std::declval<tensor<float, 6, 40>&>())), quantized<float, 6, 40>>);
static_assert(matmul_compatible<tensor<float, 3, 6>, quantized<float, 6, 40>>);

template <std::size_t M, std::size_t N, std::size_t K>
struct extents {
    static constexpr std::size_t m = M, n = N, k = K;
};
template <class>
class quantized_extents : public testing::Test {};
using cases = testing::Types<extents<1, 1, 1>, extents<1, 100, 37>, extents<130, 33, 67>>;
TYPED_TEST_SUITE(quantized_extents, cases);

TYPED_TEST(quantized_extents, products_are_exact) {
    constexpr std::size_t m = TypeParam::m, n = TypeParam::n, k = TypeParam::k;
    support::random_numbers random(7);
    const auto x = random.template normal<float, m, k>();
    const auto w = random.template normal<float, k, n>();
    const auto q = quantize(w);
    const auto y = support::evaluated(matmul(x, q));
    expect_same(y, products(x, q));
    if constexpr (m == 130) {
        const auto bias = random.template normal<float, n>();
        const tensor<float, m, n> chained = relu(matmul(x, q) + bias) + y;
        // The last multiplication and the bias may become one instruction (-ffp-contract), which does not round between
        // them: with the roundings of both sums, 3.5 ulp of the product and 2 of the bias.
        for (std::size_t i = 0; i < y.size(); ++i) {
            const float product = y.data()[i], added = bias(i % n), parts = std::fabs(product) + std::fabs(added);
            ASSERT_NEAR(chained.data()[i], std::fmax(product + added, 0.0f) + product,
                        4 * std::numeric_limits<float>::epsilon() * parts);
        }
    }
    // The error of rounding: half a step of each factor for each step of the depth.
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j)
            ASSERT_NEAR(double(y(i, j)), reference::product_at(x, w, i, j), 0.035 * double(k));
    // As elements it has the rounded values.
    if constexpr (m == 130) {
        const tensor<float, k, n> rounded = q * 1.0f;
        for (std::size_t d = 0; d < k; ++d)
            for (std::size_t j = 0; j < n; ++j) {
                ASSERT_EQ(rounded(d, j), q(d, j));
                ASSERT_NEAR(rounded(d, j), w(d, j), 0.51f * q.scales[j]);
            }
    }
}

TYPED_TEST(quantized_extents, integers_keep_their_values) {
    constexpr std::size_t m = TypeParam::m, n = TypeParam::n, k = TypeParam::k;
    if constexpr (m != 1) {
        support::random_numbers random(8);
        auto x = random.template whole<std::int8_t, m, k>(-128, 128);
        tensor<float, k, n> w = cast<float>(random.template whole<std::int8_t, k, n>(-127, 128));
        for (std::size_t i = 0; i < x.size(); i += 3) x.data()[i] = -128;
        for (std::size_t i = 0; i < w.size(); i += 3) w.data()[i] = -127;
        static quantized<unscaled<float>, k, n> q;
        quantize(q, w);
        const tensor<float, m, n> y = matmul(cast<float>(x), q);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(y(i, j), reference::product_at(x, w, i, j));
        ASSERT_EQ(q(k - 1, n - 1), w(k - 1, n - 1));
    }
}

TEST(quantized, left_operands_that_lie_otherwise) {
    support::random_numbers random(9);
    const auto x = random.normal<float, 3, 21, 19>();
    const auto q = quantize(random.normal<float, 19, 35>());
    support::check_left_operands<19>(q, [&](const auto& y, const auto& left) { expect_same(y, products(left, q)); });
    // What is left of a softmax when it is divided.
    const auto weights = products(detail::constant_evaluate(softmax(masked(x, causal))), q);
    const tensor<float, 3, 21, 35> of_weights = matmul(softmax(masked(x, causal)), q);
    for (std::size_t i = 0; i < of_weights.size(); ++i) ASSERT_NEAR(of_weights.data()[i], weights[i], 0.02f) << i;
}

// The parts of a join are rounded by one scale of the row.
TEST(quantized, joined_left_operands) {
    support::random_numbers random(3);
    const auto a = random.normal<float, 9, 32>(), b = random.normal<float, 9, 32>();
    const auto wide = random.normal<float, 9, 80>();
    const auto w = quantize(random.normal<float, 64, 21>());
    const auto check = [&](const auto& joined) {
        const tensor<float, 9, 64> x = joined;
        const tensor<float, 9, 21> y = matmul(joined, w);
        expect_same(y, products(x, w));
    };
    check(concat<1>(slice<1, 0, 32>(wide), b * 100.0f));
    check(concat<1>(softmax(a), slice<1, 48, 80>(wide)));
    check(concat<1>(matmul(a, transpose(b)), random.normal<float, 9, 55>()));
}

TEST(quantized, chains) {
    support::random_numbers random(8);
    const auto x = random.normal<float, 3, 40, 24>();
    const auto w2t = random.normal<float, 24, 100>();
    const auto q1 = quantize(random.normal<float, 24, 100>());
    const auto q2 = quantize(transpose(w2t));
    const tensor<float, 3, 40, 100> hidden = gelu(matmul(x, q1));
    const auto expected = products(hidden, q2);
    // In place, and together with packed floats.
    auto y = x;
    y = matmul(gelu(matmul(y, q1)), q2) + y;
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y.data()[i], expected[i] + x.data()[i], 1e-4f);
    const tensor<float, 3, 40, 24> mixed = matmul(gelu(matmul(x, q1)), pack(transpose(w2t)));
    reference::expect_near(mixed, reference::matmul(reference::of(hidden), reference::transpose(reference::of(w2t))),
                           5e-6);
}

/// The first rows of a product by three workers.
tensor<float, 70, 35> by_workers(const tensor<float, 70, 19>& x, const quantized<float, 19, 35>& w, std::size_t rows) {
    const auto e = matmul(x, w);
    static workspace<workspace_bytes<std::remove_const_t<decltype(e)>, 3>> scratch;
    tensor<float, 70, 35> y = full<float, 70, 35>(-77);
    evaluate(y, e, scratch, support::backwards{.most = 3}, rows_below(rows));
    return y;
}

TEST(quantized, some_rows_and_workers) {
    support::random_numbers random(10);
    auto x = random.normal<float, 70, 19>();
    const auto q = quantize(random.normal<float, 19, 35>());
    const auto expected = products(x, q);
    expect_same(by_workers(x, q, 70), expected);
    for (std::size_t i = 20 * 19; i < x.size(); ++i) x.data()[i] = std::numeric_limits<float>::quiet_NaN();
    for (const std::size_t n : {0u, 1u, 7u, 16u, 20u}) {
        const auto y = by_workers(x, q, n);
        for (std::size_t i = 0; i < n * 35; ++i) ASSERT_EQ(y.data()[i], expected[i]);
    }
}

TEST(quantized, values_that_have_no_scale) {
    support::random_numbers random(12);
    auto x = random.normal<float, 70, 19>();
    auto w = random.normal<float, 19, 35>();
    for (std::size_t k = 0; k < 19; ++k) {
        x(1, k) = 0;
        x(4, k) = 0x1p-130f;
        w(k, 3) = 0;
    }
    x(2, 18) = std::numeric_limits<float>::quiet_NaN();
    x(3, 0) = std::numeric_limits<float>::infinity();
    w(7, 19) = std::numeric_limits<float>::quiet_NaN();
    const auto q = quantize(w);
    const auto y = by_workers(x, q, 70);
    for (std::size_t j = 0; j < 35; ++j) {
        EXPECT_EQ(std::isnan(y(0, j)), j == 19) << "a column with NaN";
        EXPECT_TRUE(std::isnan(y(2, j)) && std::isnan(y(3, j))) << "rows with NaN and infinity";
        for (const std::size_t zeros : {std::size_t{1}, std::size_t{4}})
            EXPECT_TRUE(j == 19 ? std::isnan(y(zeros, j)) : y(zeros, j) == 0) << "zeros, or nearly";
    }
    EXPECT_EQ(y(0, 3), 0) << "a column of zeros";
}

// Lines of numbers below 2^-120, whose reciprocals may overflow, are zeros; 2^-120 itself is none.
static_assert(detail::byte_scale_of(detail::magnitude_bits(0x1p-120f)).inverse == 127 * 0x1p120f &&
              detail::byte_scale_of(detail::magnitude_bits(-0x1.fffffep-121f)).inverse == 0 &&
              detail::byte_scale_of(detail::magnitude_bits(-0x1.fffffep-121f)).scale == 0);

TEST(quantized, constant_expressions) {
    static constexpr tensor<float, 2, 2> integers{{-128, 127}, {0, 3}}, v{{127, -5}, {-127, 1}};
    static constexpr auto p = [] {
        quantized<unscaled<float>, 2, 2> rounded{};
        quantize(rounded, v);
        return rounded;
    }();
    constexpr tensor<float, 2, 2> z = matmul(integers, p);
    static_assert(z(0, 0) == -128 * 127 - 127 * 127 && z(0, 1) == 640 + 127 && z(1, 1) == 3);
    static constexpr tensor<float, 2, 3> x{{1, -2, 3.25f}, {0, 0, 0}};
    static constexpr tensor<float, 3, 2> w{{1, 2}, {0.5f, -0.3f}, {-0.125f, 0.7f}};
    static constexpr auto q = quantize(w);
    constexpr tensor<float, 2, 2> y = matmul(x, q);
    static_assert(y(1, 0) == 0 && y(0, 0) != 0);
    const tensor<float, 2, 2> again = matmul(x, q);
    EXPECT_TRUE(all(again == y));
    const auto later = quantize(w);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(later(i, j), q(i, j));
}

TEST(quantized, plan_shows_what_it_does) {
    static const tensor<float, 64, 32> x{};
    static const quantized<float, 32, 48> q{};
    const auto e = matmul(x, q);
    const auto text = explain(e);
    const std::string_view plan = text.c_str();
    EXPECT_NE(plan.find("[32, 48] in 8 bits"), std::string_view::npos) << plan;
    EXPECT_NE(plan.find("the left rows in 8 bits, and their scales"), std::string_view::npos) << plan;
    // A line of 64 bytes and a scale for each row of the tile.
    EXPECT_GE(workspace_bytes<decltype(e)>, 64u + 4u);
    EXPECT_EQ(flops<decltype(e)>, 2u * 64 * 32 * 48);
}

}  // namespace
