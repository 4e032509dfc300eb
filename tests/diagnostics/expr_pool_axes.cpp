// SPDX-License-Identifier: BSL-1.0
// A pool of two axes over a vector.
//
// expect: ashlar: pool: the kernel must be one number or two, and the shape have as many axes to pool over
//
// expect: pool_axes<
#include <ashlar/expr/reductions/pool.hpp>

using namespace ashlar;
tensor<float, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = max_pool<{.kernel = {2, 2}}>(x);
#else
auto z = max_pool<{.kernel = 2}>(x);
#endif
