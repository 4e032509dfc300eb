// SPDX-License-Identifier: BSL-1.0
// Groups that do not divide the channels.
//
// expect: ashlar: nn: a convolution needs channels, a kernel, a stride and a dilation that are not 0,
//
// expect: convolution_options<
#include <ashlar/nn.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::nn::conv1d<{.in = 6, .out = 8, .kernel = 3, .groups = 4}> conv;
#else
ashlar::nn::conv1d<{.in = 6, .out = 8, .kernel = 3, .groups = 2}> conv;
#endif
