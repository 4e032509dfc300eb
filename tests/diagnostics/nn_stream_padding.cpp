// SPDX-License-Identifier: BSL-1.0
// Zeros on both sides of a signal, and none of it known before it comes.
//
// expect: ashlar: nn: stream: the padding of a convolution must be zeros and not exceed (kernel - 1) * dilation
//
// expect: stream_padding<1, 2, true
#include <ashlar/nn.hpp>

using namespace ashlar;
using layer = nn::conv1d<{.in = 2, .out = 4, .kernel = 3, .padding = 1}>;
#ifdef ASHLAR_EXPECT_ERROR
nn::stream<layer, 64, nn::stream_start::causal> s;
#else
nn::stream<layer, 64, nn::stream_start::whole> s;
#endif
