// SPDX-License-Identifier: BSL-1.0
// A label of the result that no operand has.
// expect: ashlar: einsum: every label of the result must occur in an operand
// expect: "ij,kj->in"
// expect: ::labels_exist
#include <ashlar/expr/products/einsum.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace {

using namespace ashlar;
const tensor<float, 2, 3> a{};
const tensor<float, 4, 3> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = einsum<"ij,kj->in">(a, b);
#else
auto y = einsum<"ij,kj->ik">(a, b);
#endif

}  // namespace
