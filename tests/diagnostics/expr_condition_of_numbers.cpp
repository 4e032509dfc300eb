// SPDX-License-Identifier: BSL-1.0
// && of numbers.
//
// expect: ashlar: elementwise operation: the function is not defined for these elements
//
// expect: and_function, float>
#include <ashlar/expr/elementwise/operators.hpp>

ashlar::tensor<float, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = x && x;
#else
auto z = x > 0.0f && x < 1.0f;
#endif
