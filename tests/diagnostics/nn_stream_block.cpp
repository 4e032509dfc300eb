// SPDX-License-Identifier: BSL-1.0
// A block with its channels first, for a layer that has them last.
//
// expect: ashlar: nn: stream: a block must be [rows, channels] with the channels of the layer, and
//
// expect: stream_block<
#include <ashlar/nn.hpp>

using namespace ashlar;
nn::conv1d<{.in = 2, .out = 4, .kernel = 3, .channels_last = true}> conv{};
nn::stream<decltype(conv), 64> s{conv};
tensor<float, 2, 64> x{};
#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 64, 4> y = s(x);
#else
tensor<float, 64, 4> y = s(transpose(x));
#endif
