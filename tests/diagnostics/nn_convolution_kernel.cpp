// SPDX-License-Identifier: BSL-1.0
// A kernel longer than the signal.
//
// expect: ashlar: nn: the kernel of a convolution must fit into the padded input; add padding or make
//
// expect: convolution_kernel<
#include <ashlar/nn.hpp>

using namespace ashlar;
nn::conv1d<{.in = 6, .out = 8, .kernel = 3, .dilation = 4}> conv{};
tensor<float, 6, 8> x{};
tensor<float, 6, 9> longer{};
#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 6, 8> y = conv(x);
#else
tensor<float, 8, 1> y = conv(longer);
#endif
