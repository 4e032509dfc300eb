// SPDX-License-Identifier: BSL-1.0
// A product of axes whose names differ, of another shape than it is assigned to: one error.
// expect: ashlar: matmul: the columns of the left operand must be the rows of the right one; transpose one of them?
// expect: "head"
// expect: "seq"
#include <ashlar/ashlar.hpp>

using namespace ashlar;
inline constexpr axis<"seq", 64> seq;
inline constexpr axis<"head", 64> head;

void attend(tensor<float, seq, head>& y, const tensor<float, seq, head>& q, const tensor<float, seq, head>& k) {
#ifdef ASHLAR_EXPECT_ERROR
    y = matmul(softmax(matmul(q, k)), k);
#else
    y = matmul(softmax(matmul(q, transpose(k))), k);
#endif
}
