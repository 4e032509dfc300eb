// SPDX-License-Identifier: BSL-1.0
// An axis to roll that the shape does not have.
//
// expect: ashlar: roll: the axis must be a position or a named axis that occurs once in the shape
//
// expect: axis_argument<
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = roll<-3, 1>(x);
#else
auto z = roll<-2, 1>(x);
#endif
