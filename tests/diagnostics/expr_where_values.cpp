// SPDX-License-Identifier: BSL-1.0
// where between integers and floats.
//
// expect: ashlar: where: the element types of both values must be the same; use cast<T>(x)
//
// expect: element_types<float, int>
#include <ashlar/expr/elementwise/operators.hpp>

ashlar::tensor<float, 3> x;
ashlar::tensor<int, 3> y;
#ifdef ASHLAR_EXPECT_ERROR
auto z = where(x > 0.0f, x, y);
#else
auto z = where(x > 0.0f, x, cast<float>(y));
#endif
