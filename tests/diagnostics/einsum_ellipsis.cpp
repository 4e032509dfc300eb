// SPDX-License-Identifier: BSL-1.0
// Ellipses are not supported.
//
// expect: ashlar: einsum: an ellipsis is not supported; write a label for every axis
//
// expect: "...j,kj->...k"
#include <ashlar/expr/products/einsum.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 2, 3> a{};
const ashlar::tensor<float, 4, 3> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = einsum<"...j,kj->...k">(a, b);
#else
auto y = einsum<"ij,kj->ik">(a, b);
#endif
