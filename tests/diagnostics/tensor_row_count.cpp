// SPDX-License-Identifier: BSL-1.0
// Fewer rows in braces than the first axis has.
// expect: ashlar: tensor: braces must have as many rows as the axis they fill; add or remove rows
// expect: brace_extent<1, 2>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 2, 3> t{{1, 2, 3}};
#else
tensor<float, 2, 3> t{{1, 2, 3}, {4, 5, 6}};
#endif
