// SPDX-License-Identifier: BSL-1.0
// A signal with its channels last.
//
// expect: ashlar: nn: the input of a pool must be [..., channels, time] with as many channels as the
//
// expect: convolution_input<
#include <ashlar/nn.hpp>

using namespace ashlar;
nn::max_pool1d<{.channels = 6, .kernel = 2}> halved;
tensor<float, 20, 6> x{};
#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 6, 10> y = halved(x);
#else
tensor<float, 6, 10> y = halved(transpose(x));
#endif
