// SPDX-License-Identifier: BSL-1.0
// softmax along an axis that the shape does not have.
//
// expect: ashlar: softmax: the axis must be a position or a named axis that occurs once in the shape
//
// expect: axis_argument<2,
#include <ashlar/expr/reductions/normalize.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = softmax<2>(x);
#else
auto z = softmax<1>(x);
#endif
