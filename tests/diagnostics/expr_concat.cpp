// SPDX-License-Identifier: BSL-1.0
// Joining parts that differ on another axis.
//
// expect: ashlar: concat: the parts must have the same rank and agree on every axis but the one they are
//
// expect: concatenated_shapes<0,
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 2, 4> y;
auto z = concat<0>(x, x, y);
#else
ashlar::tensor<float, 5, 3> y;
auto z = concat<0>(x, x, y);
#endif
