// SPDX-License-Identifier: BSL-1.0
// A maximum along the same axis twice.
//
// expect: ashlar: reduction: an axis is named twice; leave one out
//
// expect: distinct_axes<
#include <ashlar/expr/reductions/reduce.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = max<1, -1>(x);
#else
auto z = max<0, -1>(x);
#endif
