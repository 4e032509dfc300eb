// SPDX-License-Identifier: BSL-1.0
// Adding a row of another length.
//
// expect: ashlar: elementwise operation: the shapes must broadcast: from the last axis on
//
// expect: broadcast_shapes<
#include <ashlar/expr/elementwise/operators.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 4> y;
auto z = x + y;
#else
ashlar::tensor<float, 3> y;
auto z = x + y;
#endif
