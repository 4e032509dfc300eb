// SPDX-License-Identifier: BSL-1.0
// Weights in place of bools.
//
// expect: ashlar: masked_mean: the condition must be of bools, true where an entry counts; compare first
//
// expect: mean_bools<
#include <ashlar/expr/reductions/masked_mean.hpp>

ashlar::tensor<float, 4, 8> x;
ashlar::tensor<float, 4> kept;
#ifdef ASHLAR_EXPECT_ERROR
auto z = masked_mean<0>(x, kept);
#else
auto z = masked_mean<0>(x, kept > 0.0f);
#endif
