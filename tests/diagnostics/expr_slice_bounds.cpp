// SPDX-License-Identifier: BSL-1.0
// A slice beyond the end.
//
// expect: ashlar: slice: first and last must lie within the axis and enclose an entry
//
// expect: slice_bounds<2, 5, 1, 4
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 4> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = slice<0, 2, 5>(x);
#else
auto z = slice<0, 2, 4>(x);
#endif
