// SPDX-License-Identifier: BSL-1.0
// Rotating an odd number of entries.
//
// expect: ashlar: rope: head_width and positions must be given, and the entries to rotate be even and not more than head_width
// expect: rope_extents<8, 3, 16>
#include <ashlar/nn/positions/rope.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::nn::rope<{.head_width = 8, .positions = 16, .rotated = 3}> turn;
#else
ashlar::nn::rope<{.head_width = 8, .positions = 16, .rotated = 4}> turn;
#endif
