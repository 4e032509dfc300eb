// SPDX-License-Identifier: BSL-1.0
// Attention of few queries in registers from the scores to the result: every number of queries and keys, also ragged
// ones, and operations around the three steps.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

template <class T, std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Values>
void attend() {
    SCOPED_TRACE(testing::Message() << Queries << " queries " << Keys << " keys " << Depth << " deep " << Values);
    support::random_numbers random(Queries + Keys);
    const auto q = random.normal<T, Queries, Depth>();
    const auto k = random.normal<T, Keys, Depth>();
    const auto v = random.normal<T, Keys, Values>();
    check(attention(q, k, v));
}

TEST(register_softmax, queries) {
    attend<float, 2, 11, 8, 8>();
    attend<float, 3, 3, 8, 4>();
    attend<float, 5, 7, 8, 8>();
    attend<float, 8, 8, 4, 2>();
}

TEST(register_softmax, queries_of_a_whole_register) {
    attend<float, 16, 9, 8, 8>();
    attend<float, 11, 6, 4, 1>();
    attend<float, 13, 4, 2, 32>();
}

TEST(register_softmax, doubles) {
    attend<double, 3, 4, 8, 4>();
    attend<double, 7, 7, 4, 4>();
}

TEST(register_softmax, surroundings) {
    support::random_numbers random(1);
    const auto q = random.normal<float, 2, 8, 8>();
    check(attention(q, q, q, softcap(1.5f)));
    check(permute<1, 0, 2>(attention(q, q, q)) + random.normal<float, 8, 2, 8>());
}

}  // namespace
