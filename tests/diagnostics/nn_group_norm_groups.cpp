// SPDX-License-Identifier: BSL-1.0
// Groups that do not divide the channels.
// expect: ashlar: nn: the groups of a group_norm must divide its channels
// expect: channel_groups<
#include <ashlar/nn.hpp>

using namespace ashlar;
#ifdef ASHLAR_EXPECT_ERROR
nn::group_norm<{.groups = 4, .channels = 6}> norm;
#else
nn::group_norm<{.groups = 3, .channels = 6}> norm;
#endif
