// SPDX-License-Identifier: BSL-1.0
// Taking at positions that are no integers.
//
// expect: ashlar: take: the indices must be integers; use cast<int>(x)
//
// expect: index_elements<float>
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 5, 3> x;
ashlar::tensor<float, 2> i;
#ifdef ASHLAR_EXPECT_ERROR
auto z = take<0>(x, i);
#else
auto z = take<0>(x, cast<int>(i));
#endif
