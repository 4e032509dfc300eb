// SPDX-License-Identifier: BSL-1.0
// where with a mask and values that do not broadcast.
//
// expect: ashlar: where: the shapes of both values must broadcast; reshape, transpose or rename one
//
// expect: broadcast_shapes<
#include <ashlar/expr/elementwise/where.hpp>
#include <ashlar/expr/masks/causal.hpp>

using namespace ashlar;
tensor<float, 4, 6> x;
#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 5> y;
auto z = where(causal, x, y);
#else
tensor<float, 6> y;
auto z = where(causal, x, y);
#endif
