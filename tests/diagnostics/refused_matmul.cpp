// SPDX-License-Identifier: BSL-1.0
// A wrong product inside a larger expression, which is assigned: one error.
//
// expect: ashlar: matmul: the columns of the left operand must be the rows of the right one; transpose one of them?
//
// expect: matmul_inner_axes<8
//
// expect: ::agree
#include <ashlar/ashlar.hpp>

using namespace ashlar;

void project(tensor<float, 4, 5>& y, const tensor<float, 4, 8>& x, const tensor<float, 7, 6>& wrong,
             const tensor<float, 8, 6>& first, const tensor<float, 6, 5>& second) {
#ifdef ASHLAR_EXPECT_ERROR
    y = matmul(gelu(matmul(x, wrong)), second) + 1.0f;
#else
    y = matmul(gelu(matmul(x, first)), second) + 1.0f;
#endif
}
