// SPDX-License-Identifier: BSL-1.0
// Stacking along an axis beyond the end.
//
// expect: ashlar: stack: the position must be one of the result's, whose rank is one more
//
// expect: new_axis_position<2
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = stack<2>(x, x);
#else
auto z = stack<1>(x, x);
#endif
