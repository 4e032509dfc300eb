// SPDX-License-Identifier: BSL-1.0
// An axis without elements.
// expect: ashlar: tensor: every extent must be at least 1
// expect: tensor_extents<4, 0
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 0> t;
#else
tensor<float, 1> t;
#endif
