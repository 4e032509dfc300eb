// SPDX-License-Identifier: BSL-1.0
// Batch axes that do not broadcast.
//
// expect: ashlar: matmul: the batch axes, those before the last two, must broadcast
//
// expect: matmul_batch_axes<
//
// expect: ::broadcast
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 2, 4, 8> a{};
const ashlar::tensor<float, 3, 8, 5> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = matmul(a, b);
#else
auto y = matmul(unsqueeze<1>(a), b);
#endif
