// SPDX-License-Identifier: BSL-1.0
// A sum along an axis that the shape does not have.
//
// expect: ashlar: reduction: each axis must be a position or a named axis that occurs once in the shape
//
// expect: axis_argument<2,
#include <ashlar/expr/reductions/reduce.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = sum<2>(x);
#else
auto z = sum<1>(x);
#endif
