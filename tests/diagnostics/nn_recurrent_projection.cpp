// SPDX-License-Identifier: BSL-1.0
// A projection to as many entries as there are.
//
// expect: ashlar: nn: the projection of an lstm must be narrower than its hidden state; 0 is none
//
// expect: recurrent_projection<
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/lstm.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::nn::lstm<{.in = 4, .hidden = 8, .projection = 8}> layer{};
#else
ashlar::nn::lstm<{.in = 4, .hidden = 8, .projection = 3}> layer{};
#endif
