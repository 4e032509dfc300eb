// SPDX-License-Identifier: BSL-1.0
// Joining integers and floats.
//
// expect: ashlar: concat: the element types must be the same; use cast<T>(x)
//
// expect: element_types<float, int>
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2> x;
ashlar::tensor<int, 2> y;
#ifdef ASHLAR_EXPECT_ERROR
auto z = concat<0>(x, y);
#else
auto z = concat<0>(x, cast<float>(y));
#endif
