// SPDX-License-Identifier: BSL-1.0
// pad called as in libraries whose shapes are known at run time.
//
// expect: ashlar: pad: takes one tensor, view or expression, and the axis and the entries before and after as template arguments; write pad<0, 1, 2>(x)
#include <ashlar/ashlar.hpp>
#include <ashlar/expr/shape/pad.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = pad(a, 1, 2);
#else
auto y = pad<0, 1, 2>(a);
#endif
