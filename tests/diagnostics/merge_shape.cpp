// SPDX-License-Identifier: BSL-1.0
// States of different queries.
// expect: ashlar: merge: both states must have the same shape and element type
// expect: merged_states<
#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;
const attention_state<float, 5, 4> a;
#ifdef ASHLAR_EXPECT_ERROR
const attention_state<float, 6, 4> b;
#else
const attention_state<float, 5, 4> b;
#endif
[[maybe_unused]] auto merged() { return merge(a, b); }

}  // namespace
