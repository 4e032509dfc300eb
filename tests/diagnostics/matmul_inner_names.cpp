// SPDX-License-Identifier: BSL-1.0
// Axes of equal extent and different names.
//
// expect: ashlar: matmul: the columns of the left operand must be the rows of the right one
//
// expect: matmul_inner_axes<
//
// expect: "head"
//
// expect: "seq"
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
inline constexpr axis<"seq", 8> seq;
inline constexpr axis<"head", 8> head;
const tensor<float, 4, head> a{};
const tensor<float, seq, head> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = matmul(a, b);
#else
auto y = matmul(a, transpose(b));
#endif
