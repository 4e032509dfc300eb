// SPDX-License-Identifier: BSL-1.0
// slice called as in libraries whose shapes are known at run time.
//
// expect: ashlar: slice: takes one tensor, view or expression, and the axis, first and last as template arguments; write slice<0, 1, 3>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = slice<0>(a, 1, 3);
#else
auto y = slice<0, 1, 3>(a);
#endif
