// SPDX-License-Identifier: BSL-1.0
// The exponential of integers.
//
// expect: ashlar: elementwise operation: the function is not defined for these elements; use cast<T>(x)
//
// expect: exp_function, int>
#include <ashlar/expr/elementwise/elementwise.hpp>

ashlar::tensor<int, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = exp(x);
#else
auto z = exp(cast<float>(x));
#endif
