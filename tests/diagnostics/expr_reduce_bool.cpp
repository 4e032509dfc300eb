// SPDX-License-Identifier: BSL-1.0
// The sum of bools.
//
// expect: ashlar: reduction: all and any take bool, mean, variance and logsumexp floating-point numbers, the
//
// expect: reduction_kind::sum, bool>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/reductions/reduce.hpp>

ashlar::tensor<bool, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = sum(x);
#else
auto z = sum(cast<int>(x));
#endif
