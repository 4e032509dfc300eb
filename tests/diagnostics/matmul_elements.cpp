// SPDX-License-Identifier: BSL-1.0
// Different element types.
//
// expect: ashlar: matmul: the element types must be the same; use cast<T>(x)
//
// expect: element_types<float, double>::same
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 4, 8> a{};
const ashlar::tensor<double, 8, 4> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = matmul(a, b);
#else
auto y = matmul(cast<double>(a), b);
#endif
