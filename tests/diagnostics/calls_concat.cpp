// SPDX-License-Identifier: BSL-1.0
// concat called as in libraries whose shapes are known at run time.
//
// expect: ashlar: concat: takes tensors, views or expressions one by one, and the axis as template argument; write concat<0>(x, y)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = concat({a, a}, 0);
#else
auto y = concat<0>(a, a);
#endif
