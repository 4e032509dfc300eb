// SPDX-License-Identifier: BSL-1.0
// Dimensions without the element type.
//
// expect: ashlar: tensor: the element type comes before the dimensions; write zeros<float, 4, 8>(), iota<float, 8>()
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
auto a = zeros<4, 8>();
#else
auto a = zeros<float, 4, 8>();
#endif
