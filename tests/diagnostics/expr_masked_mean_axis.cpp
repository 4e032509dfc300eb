// SPDX-License-Identifier: BSL-1.0
// The mean along an axis that the shape does not have.
//
// expect: ashlar: masked_mean: the axis must be a position or a named axis that occurs once in the shape
//
// expect: axis_argument<
#include <ashlar/expr/reductions/masked_mean.hpp>

ashlar::tensor<float, 4, 8> x;
ashlar::tensor<bool, 4> kept;
#ifdef ASHLAR_EXPECT_ERROR
auto z = masked_mean<2>(x, kept);
#else
auto z = masked_mean<0>(x, kept);
#endif
