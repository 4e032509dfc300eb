// SPDX-License-Identifier: BSL-1.0
// A row of a rank 3 tensor that is shorter than the others.
// expect: ashlar: tensor: nested braces must have one level for each axis and rows of one length
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 2, 2, 2> t{{{1, 2}, {3, 4}}, {{5, 6}, {7}}};
#else
tensor<float, 2, 2, 2> t{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
#endif
