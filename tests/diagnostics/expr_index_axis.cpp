// SPDX-License-Identifier: BSL-1.0
// Coordinates along an axis that the shape does not have.
//
// expect: ashlar: index: the axis must be a position or a named axis that occurs once in the shape
//
// expect: axis_argument<1,
#include <ashlar/expr/elementwise/shape_constants.hpp>

ashlar::tensor<float, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = index<1>(x);
#else
auto z = index<0>(x);
#endif
