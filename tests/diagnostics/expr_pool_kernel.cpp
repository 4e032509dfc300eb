// SPDX-License-Identifier: BSL-1.0
// Padding of more than half of the kernel.
//
// expect: ashlar: pool: the kernel must fit into the padded axis, and the padding be at most half of it
//
// expect: pool_windows<
#include <ashlar/expr/reductions/pool.hpp>

using namespace ashlar;
tensor<float, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = avg_pool<{.kernel = 3, .padding = 2}>(x);
#else
auto z = avg_pool<{.kernel = 3, .padding = 1}>(x);
#endif
