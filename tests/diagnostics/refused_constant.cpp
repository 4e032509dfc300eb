// SPDX-License-Identifier: BSL-1.0
// A wrong product in a constant expression: one error.
//
// expect: ashlar: matmul: the columns of the left operand must be the rows of the right one; transpose one of them?
//
// expect: matmul_inner_axes<3
#include <ashlar/ashlar.hpp>

constexpr ashlar::tensor<float, 2, 3> a{{1, 2, 3}, {4, 5, 6}};
#ifdef ASHLAR_EXPECT_ERROR
constexpr ashlar::tensor<float, 2, 2> y = matmul(a, a);
#else
constexpr ashlar::tensor<float, 2, 2> y = matmul(a, transpose(a));
#endif
