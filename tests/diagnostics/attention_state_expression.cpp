// SPDX-License-Identifier: BSL-1.0
// A result where a state is wanted.
//
// expect: ashlar: attention_state: a result has no maxima and sums, with which states are merged; use
//
// expect: state_values<
//
// expect: ::have_sums
#include <ashlar/ashlar.hpp>

using namespace ashlar;

void attend(attention_state<float, 5, 4>& state, const tensor<float, 5, 8>& q, const tensor<float, 7, 8>& k,
            const tensor<float, 7, 4>& v) {
#ifdef ASHLAR_EXPECT_ERROR
    state = attention(q, k, v);
#else
    state = attention_partial(q, k, v);
#endif
}
