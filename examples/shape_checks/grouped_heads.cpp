// SPDX-License-Identifier: BSL-1.0
// Eight heads of queries share three heads of keys.
// expect: ashlar: attention: the heads of q (the axis before the last two) must be a multiple of those of k; permute the axes?
// expect: attention_heads<8
#include <ashlar/ashlar.hpp>
using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
using keys = tensor<float, 3, 40, 32>;
#else
using keys = tensor<float, 4, 40, 32>;
#endif

tensor<float, 8, 40, 32> attend(const tensor<float, 8, 40, 32>& q, const keys& k, const keys& v) {
    return attention(q, k, v, causal);
}
