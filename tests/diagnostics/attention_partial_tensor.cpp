// SPDX-License-Identifier: BSL-1.0
// A state where a result is wanted.
//
// expect: ashlar: attention_partial: it gives a state, whose values are not divided by their sums yet; write
//
// expect: partial_result<
//
// expect: ::is_finished
#include <ashlar/ashlar.hpp>

using namespace ashlar;

void attend(tensor<float, 5, 4>& y, const tensor<float, 5, 8>& q, const tensor<float, 7, 8>& k,
            const tensor<float, 7, 4>& v) {
#ifdef ASHLAR_EXPECT_ERROR
    y = attention_partial(q, k, v);
#else
    y = finish(attention_partial(q, k, v));
#endif
}
