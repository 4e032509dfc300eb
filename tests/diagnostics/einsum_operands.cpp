// SPDX-License-Identifier: BSL-1.0
// More lists of labels than operands.
//
// expect: ashlar: einsum: there must be one list of labels for each operand
//
// expect: einsum_operands<3
//
// expect: ::match
#include <ashlar/expr/products/einsum.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 2, 3> a{};
const ashlar::tensor<float, 4, 3> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = einsum<"ij,kj,kl->ik">(a, b);
#else
auto y = einsum<"ij,kj->ik">(a, b);
#endif
