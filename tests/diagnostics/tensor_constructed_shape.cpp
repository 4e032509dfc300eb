// SPDX-License-Identifier: BSL-1.0
// Making a tensor from one of another shape.
//
// expect: ashlar: assignment: both sides must have the same shape; broadcast_to, reshape or rename one
//
// expect: assigned_shape<
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 3, 2> t = iota<float, 2, 3>();
#else
tensor<float, 3, 2> t = iota<float, 3, 2>();
#endif
