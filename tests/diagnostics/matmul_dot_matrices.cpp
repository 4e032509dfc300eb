// SPDX-License-Identifier: BSL-1.0
// The inner product is for vectors.
//
// expect: ashlar: dot: both operands must be vectors; use matmul for matrices
//
// expect: vector_operands<
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 4, 2> a{};
const ashlar::tensor<float, 4, 2> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = dot(a, b);
#else
auto y = dot(reshape<8>(a), reshape<8>(b));
#endif
