// SPDX-License-Identifier: BSL-1.0
// A layer that works row by row has nothing to remember.
//
// expect: ashlar: nn: stream: takes an nn::conv1d, a recurrent layer, an nn::max_pool1d or nn::avg_pool1d and
//
// expect: streamed_layer<
#include <ashlar/nn.hpp>

#ifdef ASHLAR_EXPECT_ERROR
using layer = ashlar::nn::linear<{.in = 2, .out = 4}>;
#else
using layer = ashlar::nn::gru<{.in = 2, .hidden = 4}>;
#endif
ashlar::nn::stream<layer, 64> s;
