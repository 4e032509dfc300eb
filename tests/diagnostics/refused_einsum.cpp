// SPDX-License-Identifier: BSL-1.0
// A wrong einsum, which initialises a tensor: one error.
//
// expect: ashlar: einsum: every label of the result must occur in an operand
//
// expect: "ij,jk->iz"
//
// expect: ::labels_exist
#include <ashlar/ashlar.hpp>

using namespace ashlar;

void multiply(const tensor<float, 6, 10>& a, const tensor<float, 10, 8>& b) {
#ifdef ASHLAR_EXPECT_ERROR
    const tensor<float, 6, 8> y = einsum<"ij,jk->iz">(a, b);
#else
    const tensor<float, 6, 8> y = einsum<"ij,jk->ik">(a, b);
#endif
}
