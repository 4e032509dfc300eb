// SPDX-License-Identifier: BSL-1.0
// Rotating rows that still hold all heads side by side.
//
// expect: ashlar: rope: the last axis must be head_width; split the heads first, or change .head_width
//
// expect: last_extent<
#include <ashlar/nn/positions/rope.hpp>

ashlar::nn::rope<{.head_width = 8, .positions = 16}> turn;
ashlar::tensor<float, 4, 32> x;
#ifdef ASHLAR_EXPECT_ERROR
auto y = turn(x);
#else
auto y = turn(reshape<4, 4, 8>(x));
#endif
