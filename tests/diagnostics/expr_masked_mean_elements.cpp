// SPDX-License-Identifier: BSL-1.0
// The mean of integers.
//
// expect: ashlar: masked_mean: the elements must be floating-point numbers; use cast<float>(x)
//
// expect: reduced_elements<
#include <ashlar/expr/reductions/masked_mean.hpp>

ashlar::tensor<int, 4> x;
ashlar::tensor<bool, 4> kept;
#ifdef ASHLAR_EXPECT_ERROR
auto z = masked_mean<0>(x, kept);
#else
auto z = masked_mean<0>(cast<float>(x), kept);
#endif
