// SPDX-License-Identifier: BSL-1.0
// Masks whose edges cross tiles at every place: within registers of queries, within blocks of keys, before and behind
// them.
#include <tests/support/mask_edges.hpp>

namespace {

using namespace ashlar;
using support::check_edge;

template <class T, std::size_t Queries, std::size_t Keys, std::size_t Depth>
void check_edges() {
    for (const std::ptrdiff_t offset : {0, 1, 7, 8, 13, -1, -5, -16, -1000, 1000})
        check_edge<T, Queries, Keys, Depth>(causal_at(offset),
                                            [=](std::ptrdiff_t distance) { return distance <= offset; });
}

TEST(attention_edges, whole_tiles) { check_edges<float, 64, 64, 16>(); }
TEST(attention_edges, ragged_tiles_and_odd_depth) { check_edges<float, 50, 67, 7>(); }
TEST(attention_edges, one_register_and_many_keys) { check_edges<float, 16, 96, 6>(); }
TEST(attention_edges, doubles) { check_edges<double, 37, 40, 8>(); }
TEST(attention_edges, shorter_than_the_keys) {
    for (const std::ptrdiff_t offset : {0, 13, -5})
        for (const std::size_t n : {0u, 1u, 20u, 43u, 64u})
            check_edge<float, 64, 64, 16>(causal_at(offset) && keys_below(n),
                                          [=](std::ptrdiff_t distance) { return distance <= offset; });
}

}  // namespace
