// SPDX-License-Identifier: BSL-1.0
// The outer product is for vectors.
//
// expect: ashlar: outer: both operands must be vectors; reshape<n> flattens
//
// expect: vector_operands<
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 4> a{};
const ashlar::tensor<float, 4, 2> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = outer(a, b);
#else
auto y = outer(a, reshape<8>(b));
#endif
