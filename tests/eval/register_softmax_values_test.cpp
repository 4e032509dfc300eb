// SPDX-License-Identifier: BSL-1.0
// Attention of few queries in registers: scores that are not finite, operands that overlap or have gaps, and weights
// that another operation reads too.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

constexpr float infinity = std::numeric_limits<float>::infinity();

// Query 2 alone has a first element, by which the keys' are multiplied; that of the others is 0.
template <std::size_t Keys>
void scores(float key, void (*expect)(float, bool)) {
    support::random_numbers random(2);
    auto q = random.normal<float, 7, 8>();
    auto k = random.normal<float, Keys, 8>();
    const auto v = random.normal<float, Keys, 8>();
    for (std::size_t i = 0; i < 7; ++i) q(i, 0) = i == 2 ? 1e30f : 0.0f;
    for (std::size_t j = 0; j < Keys; ++j) k(j, 0) = key;
    const auto y = eval(attention(q, k, v));
    for (std::size_t i = 0; i < 7; ++i)
        for (std::size_t j = 0; j < 8; ++j) expect(y(i, j), i == 2);
}

TEST(register_softmax_values, scores_that_are_not_finite) {
    // A row of nothing but minus infinity gives zeros. Other rows are unaffected.
    const auto zeros = [](float y, bool there) { EXPECT_TRUE(there ? y == 0 : y != 0 && std::isfinite(y)); };
    scores<5>(-1e30f, zeros);
    scores<8>(-1e30f, zeros);
    scores<5>(1e30f, [](float y, bool there) { EXPECT_EQ(std::isnan(y), there); });
    scores<8>(1e30f, [](float y, bool there) { EXPECT_EQ(std::isnan(y), there); });
    scores<5>(-infinity, [](float y, bool there) { EXPECT_EQ(std::isnan(y), !there); });
}

TEST(register_softmax_values, a_value_that_is_no_number) {
    support::random_numbers random(3);
    const auto q = random.normal<float, 7, 8>();
    auto k = random.normal<float, 5, 8>(), v = random.normal<float, 5, 8>();
    v(1, 6) = std::numeric_limits<float>::quiet_NaN();
    const auto y = eval(attention(q, k, v));
    for (std::size_t i = 0; i < 7; ++i)
        for (std::size_t j = 0; j < 8; ++j) EXPECT_EQ(std::isnan(y(i, j)), j == 6);
}

template <std::size_t Rows, std::size_t Width>
void in_place() {
    SCOPED_TRACE(testing::Message() << Rows << ' ' << Width);
    support::random_numbers random(4);
    const auto x = random.normal<float, Rows, Width>();
    const auto k = random.normal<float, Rows, Width>();
    tensor<float, Rows, Width> y = x, z = x, expected, all;
    expected = attention(x, k, k);  // assigned, as y and z are: compiled once
    all = attention(x, x, x);
    y = attention(y, k, k);
    z = attention(z, z, z);
    for (std::size_t i = 0; i < Rows * Width; ++i) {
        EXPECT_EQ(y.data()[i], expected.data()[i]);
        EXPECT_EQ(z.data()[i], all.data()[i]);
    }
}

TEST(register_softmax_values, in_place) {
    in_place<4, 8>();
    in_place<10, 4>();
}

TEST(register_softmax_values, heads_side_by_side) {
    support::random_numbers random(5);
    const auto x = random.normal<float, 8, 24>();
    const auto heads = permute<1, 0, 2>(reshape<8, 3, 8>(x));
    check(reshape<8, 24>(permute<1, 0, 2>(attention(heads, heads, heads))));
    const auto y = random.normal<float, 6, 16>();
    check(attention(slice<1, 0, 4>(y), slice<1, 4, 8>(y), slice<1, 8, 16>(y)));
    check(attention(transpose(slice<0, 0, 4>(y)), transpose(slice<0, 2, 6>(y)), transpose(slice<0, 0, 4>(y))));
}

TEST(register_softmax_values, weights_used_again) {
    support::random_numbers random(6);
    const auto q = random.normal<float, 8, 8>();
    const auto v = random.normal<float, 8, 8>();
    const auto scores = matmul(q, transpose(q));
    check(let(softmax(scores), [&](const auto& w) { return matmul(w, v) + w; }));
    check(let(softmax(scores), [&](const auto& w) { return matmul(matmul(w, v), transpose(w)); }));
    check(let(scores, [&](const auto& s) { return matmul(softmax(s), v) + s; }));
    check(matmul(softmax<0>(scores), v));
    check(matmul(transpose(softmax(scores)), v));
    check(softmax(matmul(softmax(scores), v)));
    tensor<float, 8, 8> weights;
    const auto y = eval(matmul(store(weights, softmax(scores)), v));
    reference::attention_options options;
    options.scale = 1;
    const auto expected = reference::attend(reference::of(q), reference::of(q), reference::of(v), options);
    reference::expect_near(y, expected.values, 2e-6, 1e-3);
    reference::expect_near(weights, expected.weights, 2e-6, 1e-3);
}

}  // namespace
