// SPDX-License-Identifier: BSL-1.0
// A digit as a label.
//
// expect: ashlar: einsum: subscripts are letters, one for each axis
//
// expect: ::are_letters
#include <ashlar/expr/products/einsum.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 2, 3> a{};
const ashlar::tensor<float, 4, 3> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = einsum<"i1,k1->ik">(a, b);
#else
auto y = einsum<"ij,kj->ik">(a, b);
#endif
