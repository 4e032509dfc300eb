// SPDX-License-Identifier: BSL-1.0
// Products with expressions of a masked softmax: values that the mask excludes are not read, whichever axes are
// repeated.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::random_numbers;

/// matmul(softmax(masked(scores, mask)) * w, v) as with its left operand in memory.
template <class Scores, class Weights, class Values>
void check(const Scores& scores, const auto& mask, const Weights& w, const Values& v) {
    const auto left = eval(softmax(masked(scores, mask)) * w);
    const auto expected = eval(matmul(left, v));
    const auto product = eval(matmul(softmax(masked(scores, mask)) * w, v));
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(product.begin()[i], expected.begin()[i], 1e-5f) << i;
    const auto other_way = eval(matmul(w * softmax(masked(scores, mask)), v));
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(other_way.begin()[i], expected.begin()[i], 1e-5f) << i;
}

TEST(products_of_masked_weights, one_row_for_all) {
    random_numbers random(1);
    const auto w = random.normal<float, 33, 40>();
    const auto v = random.normal<float, 40, 16>();
    const auto s = random.normal<float, 1, 40>();
    check(s, sliding_window<0, 3>, w, v);
    check(s, keys_below(7), w, v);
    check(s, causal_at(5), w, v);
    check(random.normal<float, 2, 1, 40>(), sliding_window<0, 3>, random.normal<float, 2, 33, 40>(), v);
}
TEST(products_of_masked_weights, one_column_for_all) {
    random_numbers random(2);
    const auto w = random.normal<float, 40, 33>();
    const auto v = random.normal<float, 33, 16>();
    check(random.normal<float, 40, 1>(), keys_below(1), w, v);
    check(random.normal<float, 40, 1>(), causal, w, v);
}
TEST(products_of_masked_weights, row_by_row) {
    random_numbers random(3);
    const auto s = random.normal<float, 33, 40>(), w = random.normal<float, 33, 40>();
    const auto v = random.normal<float, 40, 16>();
    check(s, sliding_window<0, 3>, w, v);
    check(s, causal, w, v);
    check(s, keys_below(7), w, v);
    check(s, causal, random.normal<float, 40>(), v);
}

}  // namespace
