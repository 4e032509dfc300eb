// SPDX-License-Identifier: BSL-1.0
// A wrong attention, which is assigned: one error.
//
// expect: ashlar: attention: k and v must have the same rows, a value for each key
//
// expect: attention_rows<12
//
// expect: ::agree
#include <ashlar/ashlar.hpp>

using namespace ashlar;

void attend(tensor<float, 2, 10, 6>& y, const tensor<float, 2, 10, 8>& q, const tensor<float, 2, 12, 8>& k,
            const tensor<float, 2, 12, 6>& v, const tensor<float, 2, 11, 6>& fewer) {
#ifdef ASHLAR_EXPECT_ERROR
    y = attention(q, k, fewer, causal);
#else
    y = attention(q, k, v, causal);
#endif
}
