// SPDX-License-Identifier: BSL-1.0
// A number with a fraction and a tensor of integers.
//
// expect: ashlar: where: a floating-point number with integers would lose its fraction; use cast<float>(x)
//
// expect: value_conversion<double, int>
#include <ashlar/expr/elementwise/operators.hpp>

ashlar::tensor<int, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = where(x > 0, x, 0.5);
#else
auto z = where(x > 0, x, 5);
#endif
