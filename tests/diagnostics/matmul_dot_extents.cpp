// SPDX-License-Identifier: BSL-1.0
// The inner product of vectors of two lengths.
//
// expect: ashlar: dot: both vectors must have the same extent
//
// expect: dot_axes<4
//
// expect: ::agree
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 4> a{};
const ashlar::tensor<float, 5> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = dot(a, b);
#else
auto y = dot(a, slice<0, 0, 4>(b));
#endif
