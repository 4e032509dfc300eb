// SPDX-License-Identifier: BSL-1.0
// map with a function of too many arguments.
//
// expect: ashlar: map: the function must take one argument for each operand and return a number
//
// expect: mapped_function<
#include <ashlar/expr/elementwise/elementwise.hpp>

float add(float x, float y);
ashlar::tensor<float, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = map(add, x);
#else
auto z = map(add, x, x);
#endif
