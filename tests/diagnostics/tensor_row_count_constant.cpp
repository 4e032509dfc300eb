// SPDX-License-Identifier: BSL-1.0
// A row too many in the braces of a constant: one error.
//
// expect: ashlar: tensor: braces must have as many rows as the axis they fill; add or remove rows
//
// expect: brace_extent<3, 2>
#include <ashlar/tensor/tensor.hpp>

#ifdef ASHLAR_EXPECT_ERROR
constexpr ashlar::tensor<double, 2, 2> t{{1, 2}, {3, 4}, {5, 6}};
#else
constexpr ashlar::tensor<double, 2, 2> t{{1, 2}, {3, 4}};
#endif
