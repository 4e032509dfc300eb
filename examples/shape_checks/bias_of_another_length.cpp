// SPDX-License-Identifier: BSL-1.0
// A bias for 40 x 40 scores on scores of 24 x 40.
// expect: ashlar: attention: a bias or scale must broadcast to the scores [..., queries, keys]; unsqueeze its axes
// expect: shape<40
// expect: shape<24
#include <ashlar/ashlar.hpp>
using namespace ashlar;

tensor<float, 24, 32> attend(const tensor<float, 24, 32>& q, const tensor<float, 40, 32>& k,
                             const tensor<float, 40, 32>& v, const tensor<float, 40, 40>& distances) {
#ifdef ASHLAR_EXPECT_ERROR
    return attention(q, k, v, bias(distances));
#else
    return attention(q, k, v, bias(slice<0, 0, 24>(distances)));
#endif
}
