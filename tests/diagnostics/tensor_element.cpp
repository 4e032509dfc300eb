// SPDX-License-Identifier: BSL-1.0
// Elements of a type that is no number.
//
// expect: ashlar: tensor: elements must be bool, integers or floating-point numbers, and not const
#include <ashlar/tensor/tensor.hpp>

struct point {};
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<point, 2> t;
#else
ashlar::tensor<float, 2> t;
#endif
