// SPDX-License-Identifier: BSL-1.0
// Matrices of int4 against ggml's formula, and products with them against loops over integers.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <support/differential.hpp>
#include <support/executors.hpp>
#include <support/int4_products.hpp>
#include <support/quantized_products.hpp>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;
using support::expect_close, support::q4_columns, support::q4_products;

// 18 bytes for 32 weights. Depth and columns are padded to multiples of 32.
static_assert(sizeof(quantized<int4, 64, 256>) == 64 * 256 / 32 * 18);
static_assert(sizeof(quantized<int4, 33, 33>) == 64 * 64 / 32 * 18);
static_assert(std::is_trivially_copyable_v<quantized<int4, 5, 7>> && alignof(quantized<int4, 5, 7>) == 64);
static_assert(matmul_compatible<tensor<float, 3, 6>, quantized<int4, 6, 40>>);

template <class Element>
std::uint16_t bits_of(Element value) {
    std::uint16_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

template <auto Rows, auto Columns>
std::unique_ptr<quantized<int4, Rows, Columns>> rounded(const basic_tensor<float, Rows, Columns>& w) {
    auto q = std::make_unique<quantized<int4, Rows, Columns>>();
    std::memset(static_cast<void*>(q.get()), 0xA5, sizeof *q);
    quantize(*q, w);
    return q;
}

template <std::size_t M, std::size_t N, std::size_t K>
struct extents {
    static constexpr std::size_t m = M, n = N, k = K;
};
template <class>
class int4_extents : public testing::Test {};
using cases = testing::Types<extents<1, 1, 1>, extents<1, 64, 32>, extents<9, 47, 31>, extents<33, 97, 70>>;
TYPED_TEST_SUITE(int4_extents, cases);

TYPED_TEST(int4_extents, products_of_integers) {
    constexpr std::size_t m = TypeParam::m, n = TypeParam::n, k = TypeParam::k;
    support::random_numbers random(7);
    const auto x = random.template normal<float, m, k>();
    const auto w = random.template normal<float, k, n>();
    const auto q = rounded(w);
    const auto columns = q4_columns(w);
    const auto y = support::evaluated(matmul(x, *q));
    expect_close(y, q4_products(x, columns));
    if constexpr (m == 33) {
        const auto bias = random.template normal<float, n>();
        const tensor<float, m, n> chained = relu(matmul(x, *q) + bias) + y;
        for (std::size_t i = 0; i < y.size(); ++i)
            ASSERT_NEAR(chained.data()[i], std::fmax(y.data()[i] + bias(i % n), 0.0f) + y.data()[i], 1e-5f);
    }
    for (std::size_t j = 0; k % 32 != 0 && j < n; ++j)
        ASSERT_EQ(detail::int4_integer(q->layout, q->data(), k, j), 0) << "padding";
    // Bits of ggml, and as elements the rounded values.
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t d = 0; d < k; ++d) {
            ASSERT_EQ(detail::int4_integer(q->layout, q->data(), d, j), columns[j].integers[d]);
            const f16 scale = q->blocks[j / 32 * ((k + 31) / 32) + d / 32].scales[j % 32];
            ASSERT_EQ(bits_of(scale), bits_of(columns[j].scales[d / 32]));
        }
    if constexpr (m == 9) {
        const tensor<float, k, n> values = *q * 1.0f;
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t d = 0; d < k; ++d)
                ASSERT_EQ(values(d, j), float(columns[j].integers[d]) * float(columns[j].scales[d / 32]));
    }
}

// Rounding what is rounded changes nothing, so that files of floats keep the integers of Q4_0.
TEST(quantized_int4, rounding_twice) {
    support::random_numbers random(3);
    auto w = random.normal<float, 32, 64>();
    for (std::size_t k = 0; k < 32; ++k) w(k, 7) = 0;
    const auto once = rounded(w);
    const tensor<float, 32, 64> values = *once * 1.0f;
    const auto twice = rounded(values);
    EXPECT_EQ(std::memcmp(once.get(), twice.get(), sizeof *once), 0);
}

// Products near a half: the sum with 8.5 is rounded to float, which contraction or double precision would not do.
TEST(quantized_int4, halves_round_as_in_ggml) {
    tensor<float, 32, 64> w;
    for (std::size_t j = 0; j < 64; ++j)
        for (std::size_t k = 0; k < 32; ++k) {
            float x = (static_cast<float>(k % 16) - 7.5f) * (1.0f + static_cast<float>(j) * 0x1p-23f * 4099);
            for (std::size_t ulp = 0; ulp < j % 3; ++ulp) x = std::nextafter(x, k % 2 == 0 ? 100.0f : -100.0f);
            w(k, j) = k == 31 ? -8.0f * (1.0f + static_cast<float>(j) * 0x1p-23f * 4099) : x;
        }
    const auto q = rounded(w);
    const auto columns = q4_columns(w);
    for (std::size_t j = 0; j < 64; ++j)
        for (std::size_t k = 0; k < 32; ++k)
            ASSERT_EQ(detail::int4_integer(q->layout, q->data(), k, j), columns[j].integers[k]) << k << ' ' << j;
}

TEST(quantized_int4, left_operands_that_lie_otherwise) {
    const auto w = support::random_numbers(9).normal<float, 45, 35>();
    const auto columns = q4_columns(w);
    support::check_left_operands<45>(
        *rounded(w), [&](const auto& y, const auto& left) { expect_close(y, q4_products(left, columns)); });
}

TEST(quantized_int4, chains_and_beside_other_weights) {
    support::random_numbers random(8);
    const auto x = random.normal<float, 3, 40, 24>();
    const auto w2 = random.normal<float, 100, 24>();
    const auto q1 = rounded(random.normal<float, 24, 100>());
    const auto q2 = rounded(w2);
    const auto bytes = quantize(w2);
    const tensor<float, 3, 40, 100> hidden = gelu(matmul(x, *q1));
    const auto expected = q4_products(hidden, q4_columns(w2));
    auto y = x;
    y = matmul(gelu(matmul(y, *q1)), *q2) + y;  // in place
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y.data()[i], expected[i].sum + double(x.data()[i]), 1e-3);
    const tensor<float, 3, 40, 24> mixed = matmul(gelu(matmul(x, *q1)), bytes);
    const auto of_bytes = support::products(hidden, bytes);
    for (std::size_t i = 0; i < mixed.size(); ++i) ASSERT_NEAR(mixed.data()[i], of_bytes[i], 1e-3f);
}

TEST(quantized_int4, some_rows_and_workers) {
    support::random_numbers random(10);
    auto x = random.normal<float, 70, 45>();
    const auto q = rounded(random.normal<float, 45, 35>());
    const auto e = matmul(x, *q);
    const tensor<float, 70, 35> all = e;
    tensor<float, 70, 35> y;
    static workspace<workspace_bytes<std::remove_const_t<decltype(e)>, 3>> shared;
    evaluate(y, e, shared, support::backwards{.most = 3});
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(y.data()[i], all.data()[i]);
    for (std::size_t i = 20 * 45; i < x.size(); ++i) x.data()[i] = std::numeric_limits<float>::quiet_NaN();
    for (const std::size_t n : {0u, 1u, 7u, 16u, 20u}) {
        y = -77;
        evaluate(y, e, rows_below(n));
        for (std::size_t i = 0; i < n * 35; ++i) ASSERT_EQ(y.data()[i], all.data()[i]);
    }
}

TEST(quantized_int4, values_that_have_no_scale) {
    support::random_numbers random(12);
    auto x = random.normal<float, 70, 45>();
    auto w = random.normal<float, 45, 35>();
    for (std::size_t k = 0; k < 45; ++k) {
        x(1, k) = 0;
        x(4, k) = 0x1p-130f;
        w(k, 3) = 0;
        w(k, 4) = 0x1p-118f;
        w(k, 5) = k == 40 ? 0.0f : 8000.0f;
        x(5, k) = 0;
    }
    x(2, 44) = std::numeric_limits<float>::quiet_NaN();
    x(3, 0) = std::numeric_limits<float>::infinity();
    x(5, 40) = std::numeric_limits<float>::max();
    w(7, 19) = std::numeric_limits<float>::quiet_NaN();
    w(43, 18) = -std::numeric_limits<float>::infinity();
    const auto q = rounded(w);
    const tensor<float, 70, 35> y = matmul(x, *q);
    for (std::size_t j = 0; j < 35; ++j) {
        const bool no_number = j == 18 || j == 19;
        EXPECT_EQ(std::isnan(y(0, j)), no_number) << "a column with NaN or infinity";
        EXPECT_TRUE(std::isnan(y(2, j)) && std::isnan(y(3, j))) << "rows with NaN and infinity";
        for (const std::size_t zeros : {std::size_t{1}, std::size_t{4}})
            EXPECT_TRUE(no_number ? std::isnan(y(zeros, j)) : y(zeros, j) == 0) << "zeros, or nearly";
    }
    EXPECT_TRUE(y(0, 3) == 0 && y(0, 4) == 0) << "columns of zeros, or nearly";
    EXPECT_EQ(y(5, 5), 0) << "the greatest float times zero, though both scales together are infinite";
}

TEST(quantized_int4, constant_expressions) {
    static constexpr auto x =
        generate<float, 2, 35>([](auto i, auto j) { return i == 1 ? 0.0f : static_cast<float>(j % 7) - 2.75f; });
    static constexpr auto w =
        generate<float, 35, 2>([](auto i, auto j) { return static_cast<float>((i * 5 + j) % 11) - 4.25f; });
    static constexpr auto q = [] {
        quantized<int4, 35, 2> result;
        quantize(result, w);
        return result;
    }();
    constexpr tensor<float, 2, 2> y = matmul(x, q);
    static_assert(y(1, 0) == 0 && y(0, 0) != 0);
    const tensor<float, 2, 2> again = matmul(x, q);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(again.data()[i], y.data()[i], 1e-5f);
    EXPECT_EQ(std::memcmp(rounded(w).get(), &q, sizeof q), 0);
}

TEST(quantized_int4, plan_shows_what_it_does) {
    static const tensor<float, 64, 40> x{};
    static const quantized<int4, 40, 48> q{};
    const auto e = matmul(x, q);
    const auto text = explain(e);
    const std::string_view plan = text.c_str();
    EXPECT_NE(plan.find("[40, 48] in 4 bits"), std::string_view::npos) << plan;
    EXPECT_NE(plan.find("the left rows in 8 bits, and a scale for every 32 entries"), std::string_view::npos) << plan;
    // A line of 64 bytes, two scales and two start values for each row of the tile.
    EXPECT_GE(workspace_bytes<decltype(e)>, 64u + 16u);
    EXPECT_EQ(flops<decltype(e)>, 2u * 64 * 40 * 48);
}

}  // namespace
