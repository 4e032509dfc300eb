// SPDX-License-Identifier: BSL-1.0
// The largest along an axis that the shape does not have.
//
// expect: ashlar: topk: the axis must be a position or a named axis that occurs once in the shape
//
// expect: axis_argument<
#include <ashlar/ashlar.hpp>

ashlar::tensor<float, 4, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = topk<2, 2>(x);
#else
auto z = topk<2, 1>(x);
#endif
