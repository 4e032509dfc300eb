// SPDX-License-Identifier: BSL-1.0
// States of different queries.
//
// expect: ashlar: merge: both states must have the same shape and element type
//
// expect: merged_states<
#include <ashlar/ashlar.hpp>

const ashlar::attention_state<float, 5, 4> a;
#ifdef ASHLAR_EXPECT_ERROR
const ashlar::attention_state<float, 6, 4> b;
#else
const ashlar::attention_state<float, 5, 4> b;
#endif
auto merged() { return merge(a, b); }
