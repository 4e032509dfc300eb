// SPDX-License-Identifier: BSL-1.0
// Different element types.
//
// expect: ashlar: einsum: the element types must be the same; use cast<T>(x)
//
// expect: element_types<float, double>::same
#include <ashlar/expr/products/einsum.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 2, 3> a{};
const ashlar::tensor<double, 4, 3> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = einsum<"ij,kj->ik">(a, b);
#else
auto y = einsum<"ij,kj->ik">(a, cast<float>(b));
#endif
