// SPDX-License-Identifier: BSL-1.0
// Elements of a type that is no number.
// expect: ashlar: tensor: elements must be bool, integers or floating-point numbers, and not const
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
struct point {};
#ifdef ASHLAR_EXPECT_ERROR
tensor<point, 2> t;
#else
tensor<float, 2> t;
#endif
