// SPDX-License-Identifier: BSL-1.0
// Queries times keys instead of queries times transposed keys. Both extents are 64, so only the names tell.
// expect: ashlar: matmul: the columns of the left operand must be the rows of the right one; transpose one of them?
// expect: "head"
// expect: "seq"
#include <ashlar/ashlar.hpp>
using namespace ashlar;

inline constexpr axis<"seq", 64> seq;
inline constexpr axis<"head", 64> head;

tensor<float, seq, seq> weights(const tensor<float, seq, head>& q, const tensor<float, seq, head>& k) {
#ifdef ASHLAR_EXPECT_ERROR
    return softmax(matmul(q, k) * rsqrt_extent<head>);
#else
    return softmax(matmul(q, transpose(k)) * rsqrt_extent<head>);
#endif
}
