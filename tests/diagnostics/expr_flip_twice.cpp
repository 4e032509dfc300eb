// SPDX-License-Identifier: BSL-1.0
// An axis to flip that is given by its position and again from the end.
//
// expect: ashlar: flip: an axis is given twice; two flips undo each other
//
// expect: distinct_axes<
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = flip<1, -1>(x);
#else
auto z = flip<0, -1>(x);
#endif
