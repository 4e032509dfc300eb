// SPDX-License-Identifier: BSL-1.0
// A condition on the wrong axis.
//
// expect: ashlar: masked_mean: the condition's last axis must be the one averaged over, or it must have
//
// expect: mean_condition<
#include <ashlar/expr/reductions/masked_mean.hpp>

ashlar::tensor<float, 4, 8> x;
ashlar::tensor<bool, 8> kept;
#ifdef ASHLAR_EXPECT_ERROR
auto z = masked_mean<0>(x, kept);
#else
auto z = masked_mean<0>(x, unsqueeze<0>(kept));
#endif
