// SPDX-License-Identifier: BSL-1.0
// map of operands that do not broadcast.
//
// expect: ashlar: map: the shapes of the operands must broadcast; reshape, transpose or rename one
//
// expect: broadcast_shapes<
#include <ashlar/expr/elementwise/elementwise.hpp>

float add(float x, float y);
ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 2> y;
auto z = map(add, x, y);
#else
ashlar::tensor<float, 3> y;
auto z = map(add, x, y);
#endif
