// SPDX-License-Identifier: BSL-1.0
// Squeezing an axis of extent 3.
//
// expect: ashlar: squeeze: only an axis of extent 1 can be dropped; use row, slice or a reduction
//
// expect: squeezed_axis<1, 3
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 1, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = squeeze<1>(x);
#else
auto z = squeeze<0>(x);
#endif
