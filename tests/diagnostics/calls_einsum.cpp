// SPDX-License-Identifier: BSL-1.0
// einsum with its subscripts as an argument.
// expect: ashlar: einsum: the subscripts are a template argument, between < and >, before up to three operands; write einsum<subscripts>(a, b)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};
static tensor<float, 8, 4> b{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = einsum("ij,jk->ik", a, b);
#else
    [[maybe_unused]] auto y = einsum<"ij,jk->ik">(a, b);
#endif
}
