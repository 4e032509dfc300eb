// SPDX-License-Identifier: BSL-1.0
// A mean over as many entries as there are, which differ at the beginning.
//
// expect: ashlar: nn: stream: the padding of a pool must not exceed its kernel, and an avg_pool1d with padding
//
// expect: streamed_pool<1, 2, false>
#include <ashlar/nn.hpp>

using namespace ashlar;
#ifdef ASHLAR_EXPECT_ERROR
nn::stream<nn::avg_pool1d<{.channels = 8, .kernel = 3, .padding = 1, .count_include_pad = false}>, 64> s;
#else
nn::stream<nn::avg_pool1d<{.channels = 8, .kernel = 3, .padding = 1}>, 64> s;
#endif
