// SPDX-License-Identifier: BSL-1.0
// Attention and products of one element at a time, as on processors without vector registers: operands are read in
// place, and masks decide key by key.
#undef ASHLAR_EMULATED_WIDTH
#define ASHLAR_EMULATED_WIDTH 0
#include <tests/support/mask_edges.hpp>

namespace {

using namespace ashlar;
using support::check, support::check_edge;

static_assert(lane_width<float> == 1 && lane_width<double> == 1);

template <std::size_t Queries, std::size_t Keys, std::size_t Depth>
void check_edges() {
    for (const std::ptrdiff_t offset : {0, 1, 13, -1, -5, -1000, 1000})
        check_edge<float, Queries, Keys, Depth>(causal_at(offset),
                                                [=](std::ptrdiff_t distance) { return distance <= offset; });
}

TEST(one_lane, edges_of_masks) {
    check_edges<37, 40, 6>();
    check_edge<float, 4, 19, 3>(sliding_window<3, 2>,
                                [](std::ptrdiff_t distance) { return distance >= -3 && distance <= 2; });
}
TEST(one_lane, edges_of_one_query) { check_edges<1, 21, 5>(); }
TEST(one_lane, edges_shorter_than_the_keys) {
    for (const std::size_t n : {0u, 1u, 20u, 40u})
        check_edge<float, 33, 40, 6>(causal_at(3) && keys_below(n),
                                     [](std::ptrdiff_t distance) { return distance <= 3; });
}

TEST(one_lane, operands_lie_anywhere) {
    support::random_numbers random(3);
    const auto q = random.normal<float, 9, 2, 6>();
    const auto k = random.normal<float, 11, 2, 6>(), v = random.normal<float, 11, 2, 6>();
    check(attention(permute<1, 0, 2>(q), permute<1, 0, 2>(k), permute<1, 0, 2>(v), causal));
    const auto row = random.normal<float, 1, 6>();
    check(softmax(matmul(broadcast_to<9, 6>(row), transpose(flip<0>(random.normal<float, 11, 6>())))));
}

}  // namespace
