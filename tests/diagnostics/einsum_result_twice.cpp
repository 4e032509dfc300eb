// SPDX-License-Identifier: BSL-1.0
// A label twice in the result.
//
// expect: ashlar: einsum: a label can occur only once in the result
//
// expect: ::labels_are_distinct
#include <ashlar/expr/products/einsum.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 2, 3> a{};
const ashlar::tensor<float, 4, 3> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = einsum<"ij,kj->ii">(a, b);
#else
auto y = einsum<"ij,kj->ik">(a, b);
#endif
