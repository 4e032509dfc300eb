// SPDX-License-Identifier: BSL-1.0
// Masked weights times values in every layout: what is excluded does not leak through any kernel.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

TEST(attention_layouts, nothing_leaks) {
    support::random_numbers random(1);
    const auto q = random.normal<float, 37, 8>();
    const auto k = random.normal<float, 35, 8>();
    auto turned = random.normal<float, 9, 35>();
    for (std::size_t i = 0; i < 9; ++i) turned(i, 33) = std::numeric_limits<float>::quiet_NaN();
    auto column = random.normal<float, 35, 1>();
    column(34, 0) = std::numeric_limits<float>::infinity();
    const auto weights = softmax(masked(matmul(q, transpose(k)), causal && keys_below(33)));
    check(matmul(weights, transpose(turned)));
    check(matmul(weights, column));
    check(matmul(weights, reshape<35>(column)));
    check(attention(row(q, 3) + zeros<float, 1, 8>(), k, transpose(turned), keys_below(33)));
}

TEST(attention_layouts, elementwise_weights) {
    support::random_numbers random(2);
    const auto q = random.normal<float, 17, 8>();
    const auto k = random.normal<float, 35, 8>();
    const auto v = random.normal<float, 35, 4>();
    check(transpose(matmul(softmax(masked(matmul(q, transpose(k)), causal)), v)));
    check(matmul(transpose(softmax(matmul(q, transpose(k)))), q));
    check(matmul(transpose(softmax(masked(matmul(q, transpose(k)), causal))), q));
    check(sum<0>(softmax(masked(matmul(q, transpose(k)), causal))));
    check(softmax(masked(matmul(q, transpose(k)), causal)) + 1.0f);
    check(log_softmax(masked(matmul(q, transpose(k)), causal_at(-4))), 1e-5);
    check(logsumexp(masked(matmul(q, transpose(k)), causal_at(-4))), 1e-5);
}

}  // namespace
