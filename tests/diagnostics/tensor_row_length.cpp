// SPDX-License-Identifier: BSL-1.0
// A row in braces that is too short.
//
// expect: ashlar: tensor: each row in braces must have as many values as the axis it fills; add or remove values
//
// expect: brace_extent<2, 3>
#include <ashlar/tensor/tensor.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 2, 3> t{{1, 2, 3}, {4, 5}};
#else
ashlar::tensor<float, 2, 3> t{{1, 2, 3}, {4, 5, 6}};
#endif
