// SPDX-License-Identifier: BSL-1.0
// A layer without an entry of its input.
//
// expect: ashlar: nn: a recurrent layer needs .in, .hidden and .layers that are not 0
//
// expect: recurrent_options<
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/gru.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::nn::gru<{.hidden = 8}> layer{};
#else
ashlar::nn::gru<{.in = 4, .hidden = 8}> layer{};
#endif
