// SPDX-License-Identifier: BSL-1.0
// Products with packed right operands, against the same products with plain ones in double precision.
#include <tests/support/differential.hpp>

#include <ashlar/expr/nodes/packed_slice.hpp>
#include <ashlar/nn/layers/linear.hpp>

namespace {

using namespace ashlar;
using reference::of;
using support::check;

// One layout for all flags: two builds of one class must agree on it.
static_assert(std::is_same_v<packed<float, 6, 40>, basic_packed<float, 16, std::size_t{6}, std::size_t{40}>>);
static_assert(std::is_same_v<packed<double, 6, 40>, basic_packed<double, 8, std::size_t{6}, std::size_t{40}>>);
static_assert(std::is_same_v<packed<float, 6, 40, 24>, basic_packed<float, 24, std::size_t{6}, std::size_t{40}>>);
static_assert(std::is_same_v<decltype(pack(std::declval<tensor<float, 6, 40>&>())), packed<float, 6, 40>>);
static_assert(std::is_same_v<nn::linear<{.in = 6, .out = 40}>, nn::linear<{.in = 6, .out = 40}, float, float, 16>>);

/// w holds the elements of a matrix or of a function.
void expect_equal(const auto& w, const auto& element) {
    for (std::size_t i = 0; i < w.extents[0]; ++i)
        for (std::size_t j = 0; j < w.extents[1]; ++j) ASSERT_EQ(w(i, j), element(i, j)) << i << ' ' << j;
}

template <class T, std::size_t M, std::size_t N, std::size_t K>
void check_products() {
    SCOPED_TRACE(testing::Message() << M << " x " << K << " by " << N);
    support::random_numbers random(7);
    const auto a = random.template normal<T, M, K>();
    const auto w = random.template normal<T, K, N>();
    const auto bias = random.template normal<T, N>();
    const auto p = pack(w);
    const auto sums = reference::add(reference::matmul(of(a), of(w)), of(bias));
    check(relu(matmul(a, p) + bias) * T(2), reference::map(sums, [](double x) { return 2 * reference::relu(x); }),
          sizeof(T) == 4 ? 4e-6 : 1e-14);
}
// Panels are 16 columns of float: one register of 512 bits, up to three of which are read side by side, or two
// registers of 256 bits.
TEST(packed, products) {
    check_products<float, 1, 1, 1>();
    check_products<float, 1, 100, 37>();
    check_products<float, 8, 17, 3>();
    check_products<float, 9, 47, 8>();
    check_products<float, 33, 97, 20>();
    check_products<float, 1, 16, 1100>();
    check_products<double, 9, 50, 6>();
}

TEST(packed, chains) {
    support::random_numbers random(8);
    const auto x = random.normal<float, 3, 40, 24>();
    const auto p1 = pack(random.normal<float, 24, 100>());
    const auto p2 = pack(random.normal<float, 100, 24>());
    check(matmul(gelu(matmul(x, p1)), p2) + x, 1e-5);
    // Both keys and values come from packed weights, so panels of one stage are followed by those of another.
    const auto q = pack(random.normal<float, 24, 24>());
    check(attention(matmul(x, q), matmul(x, q), x, causal), 1e-5);
}

TEST(packed, into_a_destination) {
    support::random_numbers random(10);
    static tensor<float, 300, 310> t;  // more than the stack budget
    static packed<float, 300, 310> w;
    t = random.normal<float, 300, 310>();
    pack(w, t);
    expect_equal(w, t);
    static packed<float, 310, 300> of_lazy;
    pack(of_lazy, transpose(t) * 0.5f);
    expect_equal(of_lazy, [](std::size_t i, std::size_t j) { return t(j, i) * 0.5f; });
    const auto x = random.normal<float, 40, 40>();
    packed<float, 40, 40> of_small;
    pack(of_small, transpose(x));
    expect_equal(of_small, transpose(x));
    pack(of_small, matmul(x, x));
    check(of_small * 1.0f, reference::matmul(of(x), of(x)), 4e-6);
}

TEST(packed, in_panels_of_any_width) {
    support::random_numbers random(11);
    const auto x = random.normal<float, 9, 21>();
    const auto t = random.normal<float, 21, 70>();
    const auto check_panels = [&](const auto& w) {
        expect_equal(w, t);
        check(matmul(x, w), reference::matmul(of(x), of(t)), 4e-6);
    };
    static_assert(std::is_same_v<decltype(pack<24>(t)), packed<float, 21, 70, 24>>);
    check_panels(pack<24>(t));
    check_panels(pack<5>(t));
    check_panels(pack<tuned_panel<float>>(t));
    packed<float, 21, 70, 48> w;
    pack(w, t);
    check_panels(w);
}

template <std::size_t First, std::size_t Rows, std::size_t Columns, std::size_t Panel>
void check_rows() {
    support::random_numbers random(12);
    const auto x = random.normal<float, 19, Rows>();
    const auto t = random.normal<float, 23, Columns>();
    const auto w = pack<Panel>(t);
    const auto part = detail::slice_of_packed<First, Rows>(w);
    const auto plain = slice<0, First, First + Rows>(t);
    expect_equal(part, plain);
    check(matmul(x, part), reference::matmul(of(x), of(plain)), 4e-6);
    EXPECT_FALSE(explain(matmul(x, part)).contains("copy"));
    if constexpr (Columns == 70) {
        check(matmul(slice<0, 0, 1>(x), part), reference::matmul(of(slice<0, 0, 1>(x)), of(plain)), 4e-6);
        check(part * 2.0f);
    }
}

TEST(packed, some_rows_in_place) {
    check_rows<7, 9, 5, 16>();     // one incomplete panel
    check_rows<7, 9, 70, 16>();    // four panels side by side, and a part of one
    check_rows<22, 1, 131, 16>();  // the last row
    check_rows<1, 22, 33, 5>();
    static constexpr tensor<float, 3, 2> w{{1, 2}, {3, 4}, {5, 6}};
    static constexpr auto p = pack(w);
    constexpr tensor<float, 1, 2> x{{1, 10}}, y = matmul(x, detail::slice_of_packed<1, 2>(p));
    static_assert(y(0, 0) == 53 && y(0, 1) == 64);
}

TEST(packed, aliasing) {
    support::random_numbers random(9);
    auto x = random.normal<float, 70, 50>();
    const auto w = random.normal<float, 50, 50>();
    const auto p = pack(w);
    const auto expected = reference::matmul(of(x), of(w));
    x = matmul(x, p);
    reference::expect_near(x, expected, 4e-6);
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
