// SPDX-License-Identifier: BSL-1.0
// Masks by kernels. What they exclude is not read: NaN and infinity in keys and values.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

TEST(attention, masks) {
    support::random_numbers random(2);
    const auto q = random.normal<float, 50, 6>();
    const auto k = random.normal<float, 53, 6>();
    const auto v = random.normal<float, 53, 9>();
    check(attention(q, k, v, causal_at(-60)));
    check(attention(q, k, v, causal_at<13>()));
    check(attention(q, k, v, sliding_window<3, 2>));
}

TEST(attention, nothing_leaks) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    support::random_numbers random(6);
    const auto q = random.normal<float, 37, 8>();
    auto k = random.normal<float, 35, 8>();
    auto v = random.normal<float, 35, 9>();
    for (std::size_t i = 0; i < 8; ++i) k(20, i) = nan, k(33, i) = infinity;
    for (std::size_t i = 0; i < 9; ++i) v(20, i) = infinity, v(33, i) = nan, v(3, i) = nan;
    check(attention(q, k, v, keep_if([](std::size_t, std::size_t j) { return j != 20 && j != 33 && j != 3; })));
    check(attention_weights(q, k, causal));
    check(matmul(softmax(masked(matmul(q, transpose(k)), causal)) * 0.5f, v));
    check(attention(q, k, v, causal && keep(random.truths<37, 35>(0.3))));
}

}  // namespace
