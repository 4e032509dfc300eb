// SPDX-License-Identifier: BSL-1.0
// Attention of few queries, several keys of which share a register.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Values>
void attend() {
    SCOPED_TRACE(testing::Message() << Queries << " queries " << Keys << " keys " << Depth << " deep " << Values);
    support::random_numbers random(3);
    const auto q = random.normal<float, Queries, Depth>();
    const auto k = random.normal<float, Keys, Depth>();
    auto v = random.normal<float, Keys, Values>();
    check(attention(q, k, v));
    if constexpr (Keys > Queries)
        for (std::size_t i = 0; i < Values; ++i) v(Keys - 1, i) = nan;
    check(attention(q, k, v, causal));
}

TEST(attention_of_few, queries) {
    attend<2, 5, 16, 3>();
    attend<3, 33, 8, 17>();
    attend<7, 37, 4, 9>();
    attend<8, 8, 8, 16>();
}

TEST(attention_of_few, windows) {
    support::random_numbers random(6);
    const auto q = random.normal<float, 7, 4>();
    const auto k = random.normal<float, 37, 4>();
    check(attention(q, k, k, sliding_window<2, 1>));
    check(attention(q, k, k, causal_at(-3)));
}

}  // namespace
