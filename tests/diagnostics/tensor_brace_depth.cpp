// SPDX-License-Identifier: BSL-1.0
// Braces with a level too few.
//
// expect: ashlar: tensor: nested braces must have one level for each axis and rows of one length
#include <ashlar/tensor/tensor.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 1, 2, 3> t{{1, 2, 3}, {4, 5, 6}};
#else
ashlar::tensor<float, 1, 2, 3> t{{{1, 2, 3}, {4, 5, 6}}};
#endif
