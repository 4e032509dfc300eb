// SPDX-License-Identifier: BSL-1.0
// A number as the right-hand side.
//
// expect: ashlar: solve: the right-hand side must have an axis; divide by a number with /
//
// expect: ::has_rows
#include <ashlar/linalg.hpp>

ashlar::tensor<float, 1, 1> a;
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float> b;
#else
ashlar::tensor<float, 1> b;
#endif
auto x = solve_upper(a, b);
