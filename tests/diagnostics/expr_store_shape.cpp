// SPDX-License-Identifier: BSL-1.0
// store to a destination of another shape.
//
// expect: ashlar: store: the destination must have the shape of the expression; reshape or rename one
//
// expect: assigned_shape<
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes/store.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 3, 2> y;
auto z = store(y, x * 2.0f);
#else
ashlar::tensor<float, 2, 3> y;
auto z = store(y, x * 2.0f);
#endif
