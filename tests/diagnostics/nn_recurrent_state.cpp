// SPDX-License-Identifier: BSL-1.0
// The state of one sequence for a batch of three.
//
// expect: ashlar: nn: the state must be the layer's own for the batch axes of the input; write
//
// expect: recurrent_state_of<
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/lstm.hpp>

ashlar::nn::lstm<{.in = 4, .hidden = 8}> layer{};
#ifdef ASHLAR_EXPECT_ERROR
decltype(layer)::state<> s{};
#else
decltype(layer)::state<3> s{};
#endif
ashlar::tensor<float, 3, 8> follow(const ashlar::tensor<float, 3, 4>& x) { return layer.step(x, s); }
