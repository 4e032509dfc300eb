// SPDX-License-Identifier: BSL-1.0
// A reshape with two dimensions left open.
//
// expect: ashlar: reshape: at most one dimension can be -1; give the others
//
// expect: reshape_dimensions<-1, -1>
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = reshape<-1, -1>(x);
#else
auto z = reshape<-1, 1>(x);
#endif
