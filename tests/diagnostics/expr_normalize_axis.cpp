// SPDX-License-Identifier: BSL-1.0
// A norm along an axis that the shape does not have.
//
// expect: ashlar: normalize: the axis must be a position or a named axis that occurs once in the shape
//
// expect: axis_argument<
#include <ashlar/expr/reductions/unit_norm.hpp>

ashlar::tensor<float, 2, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = normalize<2>(x);
#else
auto z = normalize<1>(x);
#endif
