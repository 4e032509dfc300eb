// SPDX-License-Identifier: BSL-1.0
// A mask of times for an input that has two axes of space.
//
// expect: ashlar: nn: with a mask the input of a group_norm must be [batch, channels, time]
//
// expect: timed_channels<
#include <ashlar/nn.hpp>

using namespace ashlar;
nn::group_norm<{.groups = 2, .channels = 4}> layer{};
#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 2, 4, 3, 3> x{};
#else
tensor<float, 2, 4, 9> x{};
#endif
auto y = layer(x, keys_below(3));
