// SPDX-License-Identifier: BSL-1.0
// Fewer labels than axes.
//
// expect: ashlar: einsum: an operand must have one label for each of its axes
//
// expect: einsum_axes<
//
// expect: ::match
#include <ashlar/expr/products/einsum.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 2, 3> a{};
const ashlar::tensor<float, 4, 3> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = einsum<"ij,k->ik">(a, b);
#else
auto y = einsum<"ij,kj->ik">(a, b);
#endif
