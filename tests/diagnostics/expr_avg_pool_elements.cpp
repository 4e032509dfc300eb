// SPDX-License-Identifier: BSL-1.0
// The mean of integers.
//
// expect: ashlar: avg_pool: the elements must be floating-point numbers; use cast<float>(x)
//
// expect: reduced_elements<
#include <ashlar/expr/reductions/pool.hpp>

using namespace ashlar;
tensor<int, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = avg_pool<{.kernel = 2}>(x);
#else
auto z = max_pool<{.kernel = 2}>(x);
#endif
