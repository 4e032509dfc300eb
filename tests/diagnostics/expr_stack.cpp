// SPDX-License-Identifier: BSL-1.0
// Stacking different shapes.
//
// expect: ashlar: stack: the parts must have the same shape; concat joins along an axis they have
//
// expect: stacked_shapes<
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2> x;
ashlar::tensor<float, 3> y;
#ifdef ASHLAR_EXPECT_ERROR
auto z = stack<0>(x, y);
#else
auto z = stack<0>(x, x);
#endif
