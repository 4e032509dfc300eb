// SPDX-License-Identifier: BSL-1.0
// Windows of an axis that the shape does not have.
//
// expect: ashlar: windows: the axis must be a position or a named axis that occurs once in the shape
//
// expect: axis_argument<
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = windows<2, 3>(x);
#else
auto z = windows<1, 3>(x);
#endif
