// SPDX-License-Identifier: BSL-1.0
// A norm of channels that are not axis 1.
//
// expect: ashlar: nn: the channels of the input must be axis 1, axis 0 with .batch = false or the last
//
// expect: channel_axis<
#include <ashlar/nn.hpp>

using namespace ashlar;
nn::batch_norm<{.channels = 6}> layer{};
tensor<float, 6, 9> x{};
#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 6, 9> y = layer(x);
#else
tensor<float, 9, 6> y = layer(transpose(x));
#endif
