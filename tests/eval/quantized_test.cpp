// SPDX-License-Identifier: BSL-1.0
// Products with matrices in 8 bits against naive loops over integers, through everything that an expression does.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <support/quantized_products.hpp>
#include <support/random.hpp>

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
using cases = testing::Types<extents<1, 1, 1>, extents<1, 100, 37>, extents<8, 17, 3>, extents<9, 47, 8>,
                             extents<5, 64, 9>, extents<130, 33, 67>>;
TYPED_TEST_SUITE(quantized_extents, cases);

TYPED_TEST(quantized_extents, products_are_exact) {
    constexpr std::size_t m = TypeParam::m, n = TypeParam::n, k = TypeParam::k;
    support::random_numbers random(7);
    const auto x = random.template normal<float, m, k>();
    const auto w = random.template normal<float, k, n>();
    const auto q = quantize(w);
    const tensor<float, m, n> y = matmul(x, q);
    expect_same(y, products(x, q));
    if constexpr (m == 1 || m == 130) {
        const auto bias = random.template normal<float, n>();
        const tensor<float, m, n> chained = relu(matmul(x, q) + bias) + y;
        const tensor<float, m, n> expected = relu(y + bias) + y;
        // The last multiplication and the bias may become one instruction (-ffp-contract), which does not round between
        // them: with the roundings of both sums, 3.5 ulp of the product and 2 of the bias.
        for (std::size_t i = 0; i < y.size(); ++i) {
            const float parts = std::fabs(y.data()[i]) + std::fabs(bias(i % n));
            ASSERT_NEAR(chained.data()[i], expected.data()[i], 4 * std::numeric_limits<float>::epsilon() * parts);
        }
    }
    // The error of rounding: half a step of each factor for each step of the depth.
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::size_t d = 0; d < k; ++d) sum += double(x(i, d)) * double(w(d, j));
            ASSERT_NEAR(double(y(i, j)), sum, 0.035 * double(k));
        }
    // As elements it has the rounded values.
    const tensor<float, k, n> rounded = q * 1.0f;
    for (std::size_t d = 0; d < k; ++d)
        for (std::size_t j = 0; j < n; ++j) {
            ASSERT_EQ(rounded(d, j), q(d, j));
            ASSERT_NEAR(rounded(d, j), w(d, j), 0.51f * q.scales[j]);
        }
}

/// Integers of all magnitudes from `least` to 127.
template <std::size_t Rows, std::size_t Columns>
tensor<float, Rows, Columns> integers(support::random_numbers& random, int least) {
    tensor<float, Rows, Columns> all = round(random.template uniform<float, Rows, Columns>(least, 127));
    for (std::size_t i = 0; i < all.size(); i += 3) all.data()[i] = static_cast<float>(least);
    return all;
}

TYPED_TEST(quantized_extents, integers_keep_their_values) {
    constexpr std::size_t m = TypeParam::m, n = TypeParam::n, k = TypeParam::k;
    support::random_numbers random(8);
    const auto x = integers<m, k>(random, -128);
    const auto w = integers<k, n>(random, -127);
    static quantized<unscaled<float>, k, n> q;
    quantize(q, w);
    const tensor<std::int8_t, m, k> bytes = cast<std::int8_t>(x);
    const tensor<float, m, n> y = matmul(x, q), of_bytes = matmul(cast<float>(bytes), q);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            long sum = 0;
            for (std::size_t d = 0; d < k; ++d) sum += static_cast<long>(x(i, d)) * static_cast<long>(w(d, j));
            ASSERT_EQ(static_cast<long>(y(i, j)), sum);
            ASSERT_EQ(static_cast<long>(of_bytes(i, j)), sum);
        }
    ASSERT_EQ(q(k - 1, n - 1), w(k - 1, n - 1));
}

TEST(quantized, left_operands_that_lie_otherwise) {
    support::random_numbers random(9);
    const auto x = random.normal<float, 3, 21, 19>();
    const auto q = quantize(random.normal<float, 19, 35>());
    const tensor<float, 3, 21, 35> batched = matmul(x, q);
    expect_same(batched, products(x, q));
    const tensor<float, 3, 19, 21> turned = transpose(x);
    const tensor<float, 3, 21, 35> of_turned = matmul(transpose(turned), q);
    expect_same(of_turned, products(x, q));
    const tensor<float, 3, 21, 19> doubled = x * 2.0f;
    const tensor<float, 3, 21, 35> of_doubled = matmul(x * 2.0f, q);
    expect_same(of_doubled, products(doubled, q));
    const tensor<bf16, 3, 21, 19> narrow = x;
    const tensor<float, 3, 21, 19> widened = narrow;
    const tensor<float, 3, 21, 35> of_narrow = matmul(narrow, q);
    expect_same(of_narrow, products(widened, q));
    const tensor<float, 19> one = slice<0, 0, 19>(reshape<3 * 21 * 19>(x));
    const tensor<float, 35> of_one = matmul(one, q);
    expect_same(of_one, products(one, q));
    // A view whose rows have gaps.
    const auto part = slice<1, 0, 21, 2>(x);
    const tensor<float, 3, 11, 19> kept = part;
    const tensor<float, 3, 11, 35> of_part = matmul(part, q);
    expect_same(of_part, products(kept, q));
    // What is left of a softmax when it is divided.
    const tensor<float, 3, 21, 19> weights = softmax(masked(x, causal));
    const tensor<float, 3, 21, 35> of_weights = matmul(softmax(masked(x, causal)), q);
    for (std::size_t i = 0; i < of_weights.size(); ++i)
        ASSERT_NEAR(of_weights.data()[i], products(weights, q)[i], 0.02f) << i;
}

// The parts of a join are rounded by one scale of the row.
TEST(quantized, joined_left_operands) {
    support::random_numbers random(3);
    const auto a = random.normal<float, 9, 32>(), b = random.normal<float, 9, 32>();
    const auto wide = random.normal<float, 9, 80>();
    quantized<float, 64, 21> w;
    quantize(w, random.normal<float, 64, 21>());
    const auto check = [&](const auto& joined) {
        const tensor<float, 9, 64> x = joined;
        const tensor<float, 9, 21> expected = matmul(x, w), y = matmul(joined, w);
        for (std::size_t i = 0; i < 9; ++i)
            for (std::size_t j = 0; j < 21; ++j) EXPECT_EQ(y(i, j), expected(i, j));
    };
    check(concat<1>(a, b * 100.0f));
    check(concat<1>(b, b));
    check(concat<1>(softmax(a), b));
    check(concat<1>(slice<1, 0, 32>(wide), slice<1, 48, 80>(wide)));
    check(concat<1>(a, slice<1, 16, 48>(wide)));
    check(concat<1>(matmul(a, transpose(b)), random.normal<float, 9, 55>()));
}
TEST(quantized, chains) {
    support::random_numbers random(8);
    const auto x = random.normal<float, 3, 40, 24>();
    const auto w1 = random.normal<float, 24, 100>(), w2t = random.normal<float, 24, 100>();
    const auto q1 = quantize(w1);
    const auto q2 = quantize(transpose(w2t));
    const tensor<float, 3, 40, 100> hidden = gelu(matmul(x, q1));
    const tensor<float, 3, 40, 24> expected = matmul(hidden, q2) + x;
    const auto e = matmul(gelu(matmul(x, q1)), q2) + x;
    const tensor<float, 3, 40, 24> chained = e;
    for (std::size_t i = 0; i < chained.size(); ++i) ASSERT_NEAR(chained.data()[i], expected.data()[i], 1e-4f);
    // In place, and together with packed floats.
    auto y = x;
    y = matmul(gelu(matmul(y, q1)), pack(transpose(w2t))) + y;
    const tensor<float, 3, 40, 24> mixed = matmul(hidden, transpose(w2t)) + x;
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y.data()[i], mixed.data()[i], 1e-3f);
}

TEST(quantized, some_rows) {
    support::random_numbers random(10);
    auto x = random.normal<float, 37, 24>();
    const auto q = quantize(random.normal<float, 24, 50>());
    const auto expected = products(x, q);
    for (std::size_t i = 20 * 24; i < x.size(); ++i) x.data()[i] = std::numeric_limits<float>::quiet_NaN();
    tensor<float, 37, 50> y;
    for (const std::size_t n : {0u, 1u, 7u, 16u, 20u}) {
        y = -77;
        evaluate(y, matmul(x, q), rows_below(n));
        for (std::size_t i = 0; i < n * 50; ++i) ASSERT_EQ(y.data()[i], expected[i]);
    }
}

/// Runs what is given out in any order but that of one worker.
struct backwards {
    static std::size_t workers() { return 3; }
    template <class Function>
    void run(std::size_t count, const Function& f) const {
        for (std::size_t i = count; i-- > 0;) f(i);
    }
};

TEST(quantized, workers) {
    support::random_numbers random(11);
    const auto x = random.normal<float, 4, 70, 24>();
    const auto q1 = quantize(random.normal<float, 24, 100>());
    const auto q2 = quantize(random.normal<float, 100, 24>());
    const auto e = matmul(relu(matmul(x, q1)), q2) + x;
    using type = decltype(e);
    static workspace<workspace_bytes<type>> own;
    static workspace<workspace_bytes<type, 3>> shared;
    tensor<float, 4, 70, 24> alone, together;
    evaluate(alone, e, own);
    evaluate(together, e, shared, backwards{});
    for (std::size_t i = 0; i < alone.size(); ++i) ASSERT_EQ(alone.data()[i], together.data()[i]);
}

TEST(quantized, values_that_have_no_scale) {
    support::random_numbers random(12);
    auto x = random.normal<float, 5, 19>();
    auto w = random.normal<float, 19, 20>();
    for (std::size_t k = 0; k < 19; ++k) {
        x(1, k) = 0;
        x(4, k) = 0x1p-130f;
        w(k, 3) = 0;
    }
    x(2, 18) = std::numeric_limits<float>::quiet_NaN();
    x(3, 0) = std::numeric_limits<float>::infinity();
    w(7, 19) = std::numeric_limits<float>::quiet_NaN();
    const auto q = quantize(w);
    const tensor<float, 5, 20> y = matmul(x, q);
    for (std::size_t j = 0; j < 20; ++j) {
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

TEST(quantized, constant_integers) {
    static constexpr tensor<float, 2, 2> x{{-128, 127}, {0, 3}}, w{{127, -5}, {-127, 1}};
    static constexpr auto q = [] {
        quantized<unscaled<float>, 2, 2> rounded{};
        quantize(rounded, w);
        return rounded;
    }();
    constexpr tensor<float, 2, 2> y = matmul(x, q);
    static_assert(y(0, 0) == -128 * 127 - 127 * 127 && y(0, 1) == 640 + 127 && y(1, 1) == 3);
    const tensor<float, 2, 2> again = matmul(x, q);
    EXPECT_TRUE(all(again == y));
}

TEST(quantized, constant_expressions) {
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

// Nothing is written behind the scratch that the plan counts, whatever the scratch holds before.
TEST(quantized, scratch_is_all_that_is_touched) {
    support::random_numbers random(13);
    const auto x = random.normal<float, 33, 21>();
    const auto q = quantize(random.normal<float, 21, 45>());
    const auto e = matmul(x, q);
    constexpr std::size_t bytes = workspace_bytes<decltype(e)>;
    struct {
        workspace<bytes> scratch;
        unsigned char guard[64];
    } memory;
    for (auto* p = reinterpret_cast<unsigned char*>(&memory); p != reinterpret_cast<unsigned char*>(&memory + 1); ++p)
        *p = 0xFF;  // floats of NaN
    tensor<float, 33, 45> y;
    evaluate(y, e, memory.scratch);
    expect_same(y, products(x, q));
    for (const unsigned char c : memory.guard) EXPECT_EQ(c, 0xFF);
}

}  // namespace
