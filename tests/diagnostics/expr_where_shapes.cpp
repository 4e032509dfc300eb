// SPDX-License-Identifier: BSL-1.0
// where with a condition of another length.
//
// expect: ashlar: where: the shapes of the condition and both values must broadcast
//
// expect: broadcast_shapes<
#include <ashlar/expr/elementwise/elementwise.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<bool, 2> c;
auto z = where(c, x, 0.0f);
#else
ashlar::tensor<bool, 3> c;
auto z = where(c, x, 0.0f);
#endif
