// SPDX-License-Identifier: BSL-1.0
// Groups that do not divide the channels.
//
// expect: ashlar: nn: the groups of a group_norm must divide its channels
//
// expect: channel_groups<
#include <ashlar/nn.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::nn::group_norm<{.groups = 4, .channels = 6}> norm;
#else
ashlar::nn::group_norm<{.groups = 3, .channels = 6}> norm;
#endif
