// SPDX-License-Identifier: BSL-1.0
// A table of distances has rows for as many queries as it was made for.
//
// expect: ashlar: relative_positions: the table has fewer rows than requested; make a larger one
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/positions/relative_positions.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
constexpr std::size_t queries = 9;
#else
constexpr std::size_t queries = 8;
#endif
void add(tensor<float, 2, queries, 8>& scores, const nn::distance_table<float, 2, 8, 8>& table) {
    scores += table.bias<queries>();
}
