// SPDX-License-Identifier: BSL-1.0
// solve of a vector of the standard library.
//
// expect: ashlar: linear algebra: takes tensors, views or expressions of square matrices, and as many as the function has; tensor_view<float, 3, 3>{memory} makes one of other memory
#include <ashlar/linalg.hpp>

static ashlar::tensor<float, 3, 3> a;
static float memory[3];

#ifdef ASHLAR_EXPECT_ERROR
auto x = solve(a, memory);
#else
auto x = solve(a, ashlar::tensor_view<float, 3>{memory});
#endif
