// SPDX-License-Identifier: BSL-1.0
// One label for two names.
//
// expect: ashlar: einsum: axes with the same label must have the same extent, and the same name
//
// expect: einsum_label<
//
// expect: "seq"
//
// expect: "head"
#include <ashlar/expr/products/einsum.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
inline constexpr axis<"seq", 3> seq;
inline constexpr axis<"head", 3> head;
const tensor<float, 2, seq> a{};
const tensor<float, 4, head> b{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = einsum<"ij,kj->ik">(a, b);
#else
auto y = einsum<"ij,kl->ik">(a, b);
#endif
