// SPDX-License-Identifier: BSL-1.0
// The columns of the left operand are not the rows of the right one.
// expect: ashlar: matmul: the columns of the left operand must be the rows of the right one; transpose one of them?
// expect: matmul_inner_axes<8
// expect: ::agree
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace {

using namespace ashlar;
const tensor<float, 4, 8> a{};
const tensor<float, 4, 8> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = matmul(a, b);
#else
auto y = matmul(a, transpose(b));
#endif

}  // namespace
