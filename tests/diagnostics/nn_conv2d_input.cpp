// SPDX-License-Identifier: BSL-1.0
// An image with its channels last.
//
// expect: ashlar: nn: the input of a convolution must be [..., channels, height, width] with as many
//
// expect: convolution_input<
#include <ashlar/nn.hpp>

using namespace ashlar;
nn::conv2d<{.in = 3, .out = 8, .kernel = 3}> conv{};
tensor<float, 20, 20, 3> x{};
#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 20, 20, 3> y = conv(x);
#else
tensor<float, 8, 18, 18> y = conv(permute<2, 0, 1>(x));
#endif
