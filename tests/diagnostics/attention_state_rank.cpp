// SPDX-License-Identifier: BSL-1.0
// A state without a shape.
//
// expect: ashlar: attention_state: the shape is that of an attention, [..., queries, width]; name one
//
// expect: state_axes<0
#include <ashlar/ashlar.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::attention_state<float> state;
#else
ashlar::attention_state<float, 5, 4> state;
#endif
