// SPDX-License-Identifier: BSL-1.0
// Joining along an axis that the shape does not have.
//
// expect: ashlar: concat: the axis must be a position or a named axis that occurs once in the first shape
//
// expect: axis_argument<2,
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = concat<2>(x, x);
#else
auto z = concat<1>(x, x);
#endif
