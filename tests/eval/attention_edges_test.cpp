// SPDX-License-Identifier: BSL-1.0
// Masks whose edges cross tiles at every place: within registers of queries, within blocks of keys, before and behind them.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

/// Keys and values that no query keeps are NaN.
template <class T, std::size_t Queries, std::size_t Keys, std::size_t Depth, class Mask, class Keeps>
void check_edge(const Mask& mask, Keeps keeps) {
    support::random_numbers random(7);
    const auto q = random.normal<T, Queries, Depth>();
    auto k = random.normal<T, Keys, Depth>();
    auto v = random.normal<T, Keys, Depth + 2>();
    for (std::size_t j = 0; j < Keys; ++j) {
        bool kept = false;
        for (std::size_t i = 0; i < Queries; ++i) kept = kept || keeps(static_cast<std::ptrdiff_t>(j) - static_cast<std::ptrdiff_t>(i));
        for (std::size_t d = 0; !kept && d < Depth; ++d) k(j, d) = v(j, d) = std::numeric_limits<T>::quiet_NaN();
    }
    check(attention(q, k, v, mask));
    // Some queries keep this value, most do not: it must not reach them.
    v(Keys / 2, 0) = std::numeric_limits<T>::infinity();
    check(attention(q, k, v, mask));
}

template <class T, std::size_t Queries, std::size_t Keys, std::size_t Depth>
void check_edges() {
    for (const std::ptrdiff_t offset : {0, 1, 7, 8, 13, -1, -5, -16, -1000, 1000})
        check_edge<T, Queries, Keys, Depth>(causal_at(offset), [=](std::ptrdiff_t distance) { return distance <= offset; });
}

TEST(attention_edges, whole_tiles) { check_edges<float, 64, 64, 16>(); }
TEST(attention_edges, ragged_tiles) { check_edges<float, 50, 67, 8>(); }
TEST(attention_edges, few_queries_and_many_keys) { check_edges<float, 17, 96, 6>(); }
TEST(attention_edges, odd_depth) { check_edges<float, 33, 33, 7>(); }
TEST(attention_edges, one_register) { check_edges<float, 16, 48, 4>(); }
TEST(attention_edges, doubles) { check_edges<double, 37, 40, 10>(); }
TEST(attention_edges, shorter_than_the_keys) {
    for (const std::ptrdiff_t offset : {0, 13, -5})
        for (const std::size_t n : {0u, 1u, 20u, 43u, 64u})
            check_edge<float, 64, 64, 16>(causal_at(offset) && keys_below(n), [=](std::ptrdiff_t distance) { return distance <= offset; });
}

}  // namespace
