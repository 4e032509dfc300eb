// SPDX-License-Identifier: BSL-1.0
// The mean of integers.
//
// expect: ashlar: reduction: all and any take bool, mean, variance and logsumexp floating-point numbers, the
//
// expect: reduction_kind::mean, int>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/reductions/reduce.hpp>

ashlar::tensor<int, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = mean(x);
#else
auto z = mean(cast<float>(x));
#endif
