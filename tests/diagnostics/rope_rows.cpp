// SPDX-License-Identifier: BSL-1.0
// More rows than the tables have positions.
//
// expect: ashlar: rope: there are more rows than positions; raise .positions
//
// expect: rope_rows<17, 16>
#include <ashlar/nn/positions/rope.hpp>

ashlar::nn::rope<{.head_width = 8, .positions = 16}> turn;
ashlar::tensor<float, 17, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto y = turn(x);
#else
auto y = turn(slice<0, 0, 16>(x));
#endif
