// SPDX-License-Identifier: BSL-1.0
// take of one index, which is no tensor.
//
// expect: ashlar: take: takes a table and a tensor of indices, and the axis as template argument; write take<0>(table, tokens), row(table, i) for one index
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = take(a, 1);
#else
auto y = row(a, 1);
#endif
