// SPDX-License-Identifier: BSL-1.0
// A reshape to another number of elements.
//
// expect: ashlar: reshape: the number of elements must stay the same; change a dimension or make one -1
//
// expect: reshape_count<
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = reshape<4, 2>(x);
#else
auto z = reshape<3, 2>(x);
#endif
