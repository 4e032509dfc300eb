// SPDX-License-Identifier: BSL-1.0
// What a mask excludes is not read: NaN and infinity in keys and values.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(attention, nothing_leaks) {
    support::random_numbers random(6);
    const auto q = random.normal<float, 37, 8>();
    auto k = random.normal<float, 35, 8>();
    auto v = random.normal<float, 35, 9>();
    for (std::size_t i = 0; i < 8; ++i) k(20, i) = nan, k(33, i) = infinity;
    for (std::size_t i = 0; i < 9; ++i) v(20, i) = infinity, v(33, i) = nan, v(3, i) = nan;
    check(attention(q, k, v, causal));
    check(attention(q, k, v, keys_below(20)));
    check(attention(q, k, v, keep_if([](std::size_t, std::size_t j) { return j != 20 && j != 33 && j != 3; })));
    check(attention(q, k, v, sliding_window<2, 1>));
    check(attention_weights(q, k, causal));
    check(matmul(softmax(masked(matmul(q, transpose(k)), causal)) * 0.5f, v));
    const auto m = random.truths<37, 35>(0.3);
    check(attention(q, k, v, keep(m)));
    check(attention(q, k, v, causal && keep(m)));
}

}  // namespace
