// SPDX-License-Identifier: BSL-1.0
// A fraction among the values of an integer tensor.
// expect: ashlar: tensor: a floating-point value for an integer element would lose its fraction
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
tensor<int, 2> t{1, 2.5};
#else
tensor<float, 2> t{1, 2.5};
#endif
