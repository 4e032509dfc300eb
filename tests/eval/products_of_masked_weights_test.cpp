// SPDX-License-Identifier: BSL-1.0
// Products with expressions of a masked softmax: values that the mask excludes are not read, whichever axes are
// repeated.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::random_numbers;

/// matmul(softmax(masked(scores, mask)) * w, v) against its left operand, node by node, times v.
template <class Scores, class Weights, class Values>
void check(const Scores& scores, const auto& mask, const Weights& w, const Values& v) {
    const auto left = softmax(masked(scores, mask)) * w;
    support::check(matmul(left, v), reference::matmul(reference::of(detail::constant_evaluate(left)), reference::of(v)),
                   5e-6);
}

TEST(products_of_masked_weights, one_row_for_all) {
    random_numbers random(1);
    const auto w = random.normal<float, 33, 40>();
    const auto v = random.normal<float, 40, 16>();
    const auto s = random.normal<float, 1, 40>();
    check(s, sliding_window<0, 3>, w, v);
    check(s, keys_below(7), w, v);
    check(random.normal<float, 2, 1, 40>(), causal_at(5), random.normal<float, 2, 33, 40>(), v);
}
TEST(products_of_masked_weights, one_column_for_all) {
    random_numbers random(2);
    check(random.normal<float, 40, 1>(), causal, random.normal<float, 40, 33>(), random.normal<float, 33, 16>());
}
TEST(products_of_masked_weights, row_by_row) {
    random_numbers random(3);
    const auto s = random.normal<float, 33, 40>(), w = random.normal<float, 33, 40>();
    const auto v = random.normal<float, 40, 16>();
    check(s, causal, random.normal<float, 40>(), v);
    check(s, keys_below(7), w, v);
    const auto left = w * softmax(masked(s, sliding_window<0, 3>));
    support::check(matmul(left, v), reference::matmul(reference::of(detail::constant_evaluate(left)), reference::of(v)),
                   5e-6);
}

}  // namespace
