// SPDX-License-Identifier: BSL-1.0
// Broadcasting an axis of extent 2 to 3.
//
// expect: ashlar: broadcast_to: from the last axis on, each extent must be 1 or that of the result
//
// expect: broadcast_target<
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = broadcast_to<4, 3>(x);
#else
auto z = broadcast_to<4, 2>(x);
#endif
