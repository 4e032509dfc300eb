// SPDX-License-Identifier: BSL-1.0
// An operand of rank 0.
//
// expect: ashlar: matmul: both operands must have an axis; multiply by a scalar with *
//
// expect: matmul_operands<
//
// expect: ::have_axes
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 4, 8> a{};
const ashlar::tensor<float> b{2.0f};
#ifdef ASHLAR_EXPECT_ERROR
auto y = matmul(a, b);
#else
auto y = a * b;
#endif
