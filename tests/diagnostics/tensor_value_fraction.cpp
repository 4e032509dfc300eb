// SPDX-License-Identifier: BSL-1.0
// A fraction among the values of an integer tensor.
//
// expect: ashlar: tensor: a floating-point value for an integer element would lose its fraction
#include <ashlar/tensor/tensor.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<int, 2> t{1, 2.5};
#else
ashlar::tensor<float, 2> t{1, 2.5};
#endif
