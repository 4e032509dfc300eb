// SPDX-License-Identifier: BSL-1.0
// Blocks of a rank 3 tensor with too few rows.
//
// expect: ashlar: tensor: braces must have as many rows as the axis they fill; add or remove rows
//
// expect: brace_extent<1, 2>
#include <ashlar/tensor/tensor.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 2, 2, 2> t{{{1, 2}}, {{5, 6}}};
#else
ashlar::tensor<float, 2, 2, 2> t{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
#endif
