// SPDX-License-Identifier: BSL-1.0
// Splitting seven entries into two.
// expect: ashlar: split: the number of parts must divide the extent of the axis; use slice for unequal
// expect: split_parts<7
#include <ashlar/expr/shape/shape_ops.hpp>

using namespace ashlar;
tensor<float, 7, 2> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = split<0, 2>(x);
#else
auto z = split<0, 7>(x);
#endif
