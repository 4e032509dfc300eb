// SPDX-License-Identifier: BSL-1.0
// A state of another width than the values.
//
// expect: ashlar: attention_state: the state must have the shape [..., queries, width] and the element type of the attention
//
// expect: assigned_state<
#include <ashlar/ashlar.hpp>

using namespace ashlar;
const tensor<float, 5, 8> q{};
const tensor<float, 7, 8> k{};
const tensor<float, 7, 4> v{};
#ifdef ASHLAR_EXPECT_ERROR
const attention_state<float, 5, 8> state = attention_partial(q, k, v);
#else
const attention_state<float, 5, 4> state = attention_partial(q, k, v);
#endif
