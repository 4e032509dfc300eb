// SPDX-License-Identifier: BSL-1.0
// flip called as in libraries whose shapes are known at run time.
//
// expect: ashlar: flip: takes one tensor, view or expression, and axes as template arguments; write flip<0>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = flip(a, 0);
#else
auto y = flip<0>(a);
#endif
