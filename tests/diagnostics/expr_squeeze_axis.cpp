// SPDX-License-Identifier: BSL-1.0
// Squeezing an axis that does not exist.
//
// expect: ashlar: squeeze: the argument must be a position or a named axis that occurs once in the shape
//
// expect: axis_argument<2,
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 1, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = squeeze<2>(x);
#else
auto z = squeeze<-2>(x);
#endif
