// SPDX-License-Identifier: BSL-1.0
// An axis to flip that the shape does not have.
//
// expect: ashlar: flip: the axis must be a position or a named axis that occurs once in the shape
//
// expect: axis_argument<
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = flip<0, 2>(x);
#else
auto z = flip<0, 1>(x);
#endif
