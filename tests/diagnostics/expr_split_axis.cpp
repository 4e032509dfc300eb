// SPDX-License-Identifier: BSL-1.0
// Splitting an axis that the shape does not have.
//
// expect: ashlar: split: the axis must be a position or a named axis that occurs once in the shape
//
// expect: axis_argument<2,
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 7, 2> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = split<2, 2>(x);
#else
auto z = split<1, 2>(x);
#endif
