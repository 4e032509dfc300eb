// SPDX-License-Identifier: BSL-1.0
// A signal with its channels last.
//
// expect: ashlar: nn: the input of a convolution must be [..., channels, time] with as many channels as
//
// expect: convolution_input<
#include <ashlar/nn.hpp>

using namespace ashlar;
nn::conv1d<{.in = 6, .out = 8, .kernel = 3}> conv{};
tensor<float, 20, 6> x{};
#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 20, 8> y = conv(x);
#else
tensor<float, 8, 18> y = conv(transpose(x));
#endif
