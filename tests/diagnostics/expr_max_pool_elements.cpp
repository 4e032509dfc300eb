// SPDX-License-Identifier: BSL-1.0
// The largest of bools.
//
// expect: ashlar: max_pool: the elements must be numbers; of bools use any
//
// expect: reduced_elements<
#include <ashlar/expr/reductions/pool.hpp>

using namespace ashlar;
tensor<bool, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = max_pool<{.kernel = 2}>(x);
#else
auto z = any<1>(windows<0, 2, 2>(x));
#endif
