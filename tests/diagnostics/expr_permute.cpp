// SPDX-License-Identifier: BSL-1.0
// A permutation that names an axis twice.
//
// expect: ashlar: permute: the arguments must name every axis of the shape once; list all of them
//
// expect: permutation_of<
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2, 3, 4> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = permute<0, 2, 2>(x);
#else
auto z = permute<0, 2, 1>(x);
#endif
