// SPDX-License-Identifier: BSL-1.0
// Taking along an axis that the table does not have.
//
// expect: ashlar: take: the axis must be a position or a named axis that occurs once in the table's shape
//
// expect: axis_argument<2,
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 5, 3> x;
ashlar::tensor<int, 2> i;
#ifdef ASHLAR_EXPECT_ERROR
auto z = take<2>(x, i);
#else
auto z = take<0>(x, i);
#endif
