// SPDX-License-Identifier: BSL-1.0
// A new axis beyond the end.
//
// expect: ashlar: unsqueeze: the position must be one of the result's, whose rank is one more
//
// expect: new_axis_position<3
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = unsqueeze<3>(x);
#else
auto z = unsqueeze<2>(x);
#endif
