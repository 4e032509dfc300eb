// SPDX-License-Identifier: BSL-1.0
// Products with packed right operands, against the same products with plain ones in double precision.
#include <string>

#include <gtest/gtest.h>
#include <support/random.hpp>
#include <support/reference.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/expr/nodes/packed_slice.hpp>
#include <ashlar/nn/layers/linear.hpp>

namespace {

using namespace ashlar;

template <std::size_t M, std::size_t N, std::size_t K>
struct extents {
    static constexpr std::size_t m = M, n = N, k = K;
};
template <class>
class packed_extents : public testing::Test {};
// Panels are 16 columns of float: one register of 512 bits, up to three of which are read side by side, or two
// registers of 256 bits.
using cases =
    testing::Types<extents<1, 1, 1>, extents<1, 100, 37>, extents<8, 17, 3>, extents<9, 47, 8>, extents<16, 48, 7>,
                   extents<11, 80, 6>, extents<33, 97, 20>, extents<1, 112, 100>, extents<1, 16, 1100>>;
TYPED_TEST_SUITE(packed_extents, cases);

// One layout for all flags: two builds of one class must agree on it.
static_assert(std::is_same_v<packed<float, 6, 40>, basic_packed<float, 16, std::size_t{6}, std::size_t{40}>>);
static_assert(std::is_same_v<packed<double, 6, 40>, basic_packed<double, 8, std::size_t{6}, std::size_t{40}>>);
static_assert(std::is_same_v<packed<float, 6, 40, 24>, basic_packed<float, 24, std::size_t{6}, std::size_t{40}>>);
static_assert(std::is_same_v<decltype(pack(std::declval<tensor<float, 6, 40>&>())), packed<float, 6, 40>>);
static_assert(std::is_same_v<nn::linear<{.in = 6, .out = 40}>, nn::linear<{.in = 6, .out = 40}, float, float, 16>>);

template <class T, class Case>
void check_products() {
    constexpr std::size_t m = Case::m, n = Case::n, k = Case::k;
    support::random_numbers random(7);
    const auto a = random.template normal<T, m, k>();
    const auto w = random.template normal<T, k, n>();
    const auto bias = random.template normal<T, n>();
    const auto p = pack(w);
    const T tolerance = static_cast<T>(k) * (sizeof(T) == 4 ? T(2e-6) : T(4e-15));

    const tensor<T, m, n> packed_result = matmul(a, p);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::size_t d = 0; d < k; ++d) sum += static_cast<double>(a(i, d)) * static_cast<double>(w(d, j));
            ASSERT_NEAR(packed_result(i, j), sum, tolerance * T(8)) << i << ' ' << j;
        }
    const tensor<T, m, n> chained = relu(matmul(a, p) + bias) * T(2);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const T sum = packed_result(i, j) + bias(j);
            ASSERT_NEAR(chained(i, j), sum > 0 ? sum * T(2) : T(0), tolerance);
        }

    const tensor<T, k, n> unpacked = p;
    for (std::size_t i = 0; i < w.size(); ++i) ASSERT_EQ(unpacked.data()[i], w.data()[i]);
}

TYPED_TEST(packed_extents, floats) { check_products<float, TypeParam>(); }
TEST(packed, doubles) { check_products<double, extents<9, 50, 6>>(); }

TEST(packed, chains) {
    support::random_numbers random(8);
    const auto x = random.normal<float, 3, 40, 24>();
    const auto w1 = random.normal<float, 24, 100>();
    const auto w2 = random.normal<float, 100, 24>();
    const auto p1 = pack(w1);
    const auto p2 = pack(w2);
    const tensor<float, 3, 40, 24> plain = matmul(gelu(matmul(x, w1)), w2) + x;
    const tensor<float, 3, 40, 24> chained = matmul(gelu(matmul(x, p1)), p2) + x;
    for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_NEAR(chained.data()[i], plain.data()[i], 1e-3f);

    // Both keys and values come from packed weights, so panels of one stage are followed by those of another.
    const auto q = random.normal<float, 24, 24>();
    const auto pq = pack(q);
    const tensor<float, 3, 40, 24> attended = attention(matmul(x, pq), matmul(x, pq), x, causal);
    const tensor<float, 3, 40, 24> expected = attention(matmul(x, q), matmul(x, q), x, causal);
    for (std::size_t i = 0; i < attended.size(); ++i) ASSERT_NEAR(attended.data()[i], expected.data()[i], 2e-4f);
}

/// w holds what the matrix does.
template <class Packed, class Matrix>
void expect_equal(const Packed& w, const Matrix& matrix) {
    for (std::size_t i = 0; i < matrix.extents[0]; ++i)
        for (std::size_t j = 0; j < matrix.extents[1]; ++j) ASSERT_EQ(w(i, j), matrix(i, j)) << i << ' ' << j;
}

TEST(packed, into_a_destination) {
    support::random_numbers random(10);
    static tensor<float, 300, 310> t;  // more than the stack budget
    static packed<float, 300, 310> w;
    t = random.normal<float, 300, 310>();
    pack(w, t);
    expect_equal(w, t);
    const auto x = random.normal<float, 40, 40>();
    packed<float, 40, 40> of_lazy;
    pack(of_lazy, transpose(x));
    expect_equal(of_lazy, eval(transpose(x)));
    pack(of_lazy, x * 2.0f + transpose(x));
    expect_equal(of_lazy, eval(x * 2.0f + transpose(x)));
    pack(of_lazy, matmul(x, x));
    const auto product = eval(matmul(x, x));
    const tensor<float, 40, 40> unpacked = of_lazy;
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(unpacked.data()[i], product.data()[i], 1e-4f);
    static packed<float, 310, 300> of_large;
    pack(of_large, transpose(t) * 0.5f);
    for (std::size_t i = 0; i < 310; ++i)
        for (std::size_t j = 0; j < 300; ++j) ASSERT_EQ(of_large(i, j), t(j, i) * 0.5f);
}

TEST(packed, in_panels_of_any_width) {
    support::random_numbers random(11);
    const auto x = random.normal<float, 9, 21>();
    const auto t = random.normal<float, 21, 70>();
    const tensor<float, 9, 70> expected = matmul(x, t);
    const auto check = [&](const auto& w) {
        expect_equal(w, t);
        const tensor<float, 9, 70> y = matmul(x, w);
        for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y.data()[i], expected.data()[i], 1e-4f);
    };
    static_assert(std::is_same_v<decltype(pack<24>(t)), packed<float, 21, 70, 24>>);
    check(pack<24>(t));
    check(pack<5>(t));
    check(pack<tuned_panel<float>>(t));
    packed<float, 21, 70, 48> w;
    pack(w, t);
    check(w);
    pack(w, t + 1.0f);
    expect_equal(w, eval(t + 1.0f));
}

template <std::size_t First, std::size_t Rows, std::size_t Columns, std::size_t Panel>
void check_rows() {
    constexpr std::size_t stored = 23;
    support::random_numbers random(12);
    const auto x = random.normal<float, 19, Rows>();
    const auto t = random.normal<float, stored, Columns>();
    const auto w = pack<Panel>(t);
    const auto part = detail::slice_of_packed<First, Rows>(w);
    const auto plain = slice<0, First, First + Rows>(t);
    expect_equal(part, plain);
    const tensor<float, 19, Columns> y = matmul(x, part), expected = matmul(x, plain);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y.data()[i], expected.data()[i], 1e-4f);
    const tensor<float, 1, Columns> row = matmul(slice<0, 0, 1>(x), part);
    for (std::size_t i = 0; i < Columns; ++i) ASSERT_NEAR(row(0, i), expected(0, i), 1e-4f);
    const tensor<float, Rows, Columns> twice = part * 2.0f;
    expect_equal(twice, eval(plain * 2.0f));
    const std::string text(explain(matmul(x, part)).c_str());
    EXPECT_EQ(text.find("copy"), text.npos) << text;
}

TEST(packed, some_rows_in_place) {
    check_rows<0, 7, 16, 16>();
    check_rows<7, 9, 5, 16>();     // one incomplete panel
    check_rows<7, 9, 70, 16>();    // four panels side by side, and a part of one
    check_rows<22, 1, 131, 16>();  // the last row
    check_rows<3, 20, 64, 24>();
    check_rows<1, 22, 33, 5>();
    static constexpr tensor<float, 3, 2> w{{1, 2}, {3, 4}, {5, 6}};
    static constexpr auto p = pack(w);
    constexpr tensor<float, 1, 2> x{{1, 10}}, y = matmul(x, detail::slice_of_packed<1, 2>(p));
    static_assert(y(0, 0) == 53 && y(0, 1) == 64);
}

TEST(packed, aliasing) {
    support::random_numbers random(9);
    auto x = random.normal<float, 70, 50>();
    const auto p = pack(random.normal<float, 50, 50>());
    const tensor<float, 70, 50> expected = matmul(x, p);
    x = matmul(x, p);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x.data()[i], expected.data()[i]);
}

TEST(packed, constant) {
    constexpr tensor<float, 2, 3> w{{1, 2, 3}, {4, 5, 6}};
    constexpr auto p = pack(w);
    static_assert(p(1, 2) == 6 && p(0, 1) == 2);
    constexpr tensor<float, 1, 2> x{{1, 10}};
    constexpr tensor<float, 1, 3> y = matmul(x, p);
    static_assert(y(0, 0) == 41 && y(0, 2) == 63);
}

}  // namespace
