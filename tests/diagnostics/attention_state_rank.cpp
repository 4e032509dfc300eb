// SPDX-License-Identifier: BSL-1.0
// A state without a shape.
// expect: ashlar: attention_state: the shape is that of an attention, [..., queries, width]; name one
// expect: state_axes<0
#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;
#ifdef ASHLAR_EXPECT_ERROR
[[maybe_unused]] attention_state<float> state;
#else
[[maybe_unused]] attention_state<float, 5, 4> state;
#endif

}  // namespace
