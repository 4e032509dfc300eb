// SPDX-License-Identifier: BSL-1.0
// A slice along an axis that the shape does not have.
// expect: ashlar: slice: the axis must be a position or a named axis that occurs once in the shape
// expect: axis_argument<
#include <ashlar/expr/shape/shape_ops.hpp>

using namespace ashlar;
inline constexpr axis<"seq", 4> seq;
inline constexpr axis<"key", 4> key;
tensor<float, seq, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = slice<key, 0, 2>(x);
#else
auto z = slice<seq, 0, 2>(x);
#endif
