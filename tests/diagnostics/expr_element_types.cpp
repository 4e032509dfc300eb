// SPDX-License-Identifier: BSL-1.0
// Adding integers to floats.
// expect: ashlar: elementwise operation: the element types must be the same; use cast<T>(x)
// expect: element_types<float, int>
#include <ashlar/expr/elementwise/operators.hpp>

using namespace ashlar;
tensor<float, 3> x;
tensor<int, 3> y;
#ifdef ASHLAR_EXPECT_ERROR
auto z = x + y;
#else
auto z = x + cast<float>(y);
#endif
