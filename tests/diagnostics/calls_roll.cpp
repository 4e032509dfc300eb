// SPDX-License-Identifier: BSL-1.0
// roll called as in libraries whose shapes are known at run time.
//
// expect: ashlar: roll: takes one tensor, view or expression, and the axis and the shift as template arguments; write roll<0, 1>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = roll(a, 1, 0);
#else
auto y = roll<0, 1>(a);
#endif
