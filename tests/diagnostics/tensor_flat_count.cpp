// SPDX-License-Identifier: BSL-1.0
// More values in flat braces than the tensor has elements.
//
// expect: ashlar: tensor: flat braces must have as many values as the tensor has elements
//
// expect: brace_extent<7, 6>
#include <ashlar/tensor/tensor.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 2, 3> t{1, 2, 3, 4, 5, 6, 7};
#else
ashlar::tensor<float, 2, 3> t{1, 2, 3, 4, 5, 6};
#endif
