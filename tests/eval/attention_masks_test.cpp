// SPDX-License-Identifier: BSL-1.0
// Every mask by kernels.
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

TEST(attention, masks) {
    masks_alike<37, 35>(causal_at<-2>());
    masks_alike<37, 50>(causal_at<13>());
    masks_alike<50, 37>(causal_at(-60));
    masks_alike<50, 53>(sliding_window<3, 2>);
    masks_alike<33, 33>(keys_below(0));
    masks_alike<33, 33>(keep_if([](std::size_t i, std::size_t j) { return (i + j) % 3 == 0; }));
}

}  // namespace
