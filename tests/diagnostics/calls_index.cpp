// SPDX-License-Identifier: BSL-1.0
// index called as in libraries whose shapes are known at run time.
//
// expect: ashlar: index: takes one tensor, view or expression, and the axis as template argument; write index<0>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = index(a, 0);
#else
auto y = index<0>(a);
#endif
