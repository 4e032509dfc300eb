// SPDX-License-Identifier: BSL-1.0
// A number with a fraction and a tensor of integers.
//
// expect: ashlar: elementwise operation: a floating-point number with integers would lose its fraction; use
//
// expect: value_conversion<double, int>
#include <ashlar/expr/elementwise/operators.hpp>

ashlar::tensor<int, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = x * 0.5;
#else
auto z = cast<float>(x) * 0.5;
#endif
