// SPDX-License-Identifier: BSL-1.0
// Padding of an axis that the shape does not have.
//
// expect: ashlar: pad: the axis must be a position or a named axis that occurs once in the shape
//
// expect: axis_argument<
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = pad<-3, 1>(x);
#else
auto z = pad<-2, 1>(x);
#endif
