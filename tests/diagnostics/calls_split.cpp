// SPDX-License-Identifier: BSL-1.0
// split called as in libraries whose shapes are known at run time.
//
// expect: ashlar: split: takes one tensor, view or expression, and the axis and the number of parts as template arguments; write split<0, 2>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = split(a, 2);
#else
auto y = split<0, 2>(a);
#endif
