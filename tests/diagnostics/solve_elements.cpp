// SPDX-License-Identifier: BSL-1.0
// Operands of different types.
//
// expect: ashlar: solve: the element types must be the same; use cast<T>(x)
//
// expect: element_types<float, double>
#include <ashlar/linalg.hpp>

ashlar::tensor<float, 3, 3> a;
ashlar::tensor<double, 3> b;
#ifdef ASHLAR_EXPECT_ERROR
auto x = solve_lower(a, b);
#else
auto x = solve_lower(a, cast<float>(b));
#endif
