// SPDX-License-Identifier: BSL-1.0
// Composed masks by kernels.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

template <std::size_t Queries, std::size_t Keys, class Mask>
void masks_alike(const Mask& mask) {
    support::random_numbers random(2);
    const auto q = random.normal<float, Queries, 6>();
    const auto k = random.normal<float, Keys, 6>();
    const auto v = random.normal<float, Keys, 9>();
    check(attention(q, k, v, mask));
}

TEST(attention, composed_masks) {
    support::random_numbers random(3);
    masks_alike<50, 53>(sliding_window<20, 0> && causal);
    masks_alike<33, 33>(!causal);
    masks_alike<33, 33>(causal || keys_below(4));
    masks_alike<33, 33>(causal && !keys_below(4));
    const auto row = random.truths<33>(0.5);
    masks_alike<33, 33>(ignore(row));
    masks_alike<33, 33>(keep(row) && causal);
}

}  // namespace
