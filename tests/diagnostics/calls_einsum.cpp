// SPDX-License-Identifier: BSL-1.0
// einsum with its subscripts as an argument.
//
// expect: ashlar: einsum: the subscripts are a template argument, between < and >, before up to three operands; write einsum<subscripts>(a, b)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};
static ashlar::tensor<float, 8, 4> b{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = einsum("ij,jk->ik", a, b);
#else
auto y = einsum<"ij,jk->ik">(a, b);
#endif
