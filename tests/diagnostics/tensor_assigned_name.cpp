// SPDX-License-Identifier: BSL-1.0
// Assigning a tensor whose axis has another name.
//
// expect: ashlar: assignment: both sides must have the same shape; broadcast_to, reshape or rename one
//
// expect g++: fixed_string<4>{"seq"}, 4>
//
// expect clang: axis<"seq", 4>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
inline constexpr axis<"seq", 4> seq;
inline constexpr axis<"head", 4> head;
void assign(tensor<float, seq>& to, const tensor<float, head>& other, const tensor<float, 4>& unnamed) {
#ifdef ASHLAR_EXPECT_ERROR
    to = other;
#else
    to = unnamed;
#endif
}
