// SPDX-License-Identifier: BSL-1.0
// An axis without elements.
//
// expect: ashlar: tensor: every extent must be at least 1
//
// expect: tensor_extents<4, 0
#include <ashlar/tensor/tensor.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 0> t;
#else
ashlar::tensor<float, 1> t;
#endif
