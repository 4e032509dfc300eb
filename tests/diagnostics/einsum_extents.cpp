// SPDX-License-Identifier: BSL-1.0
// One label for two extents.
//
// expect: ashlar: einsum: axes with the same label must have the same extent
//
// expect: einsum_label<
//
// expect: ::agrees
#include <ashlar/expr/products/einsum.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 2, 3> a{};
const ashlar::tensor<float, 4, 3> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = einsum<"ij,ik->jk">(a, b);
#else
auto y = einsum<"ij,kj->ik">(a, b);
#endif
