// SPDX-License-Identifier: BSL-1.0
// Two beginnings of one signal.
//
// expect: ashlar: nn: stream: a convolution takes a capacity and one stream_start
#include <ashlar/nn.hpp>

using namespace ashlar;
using layer = nn::conv1d<{.in = 2, .out = 4, .kernel = 3}>;
#ifdef ASHLAR_EXPECT_ERROR
nn::stream<layer, 64, nn::stream_start::whole, nn::stream_start::whole> s;
#else
nn::stream<layer, 64, nn::stream_start::whole> s;
#endif
