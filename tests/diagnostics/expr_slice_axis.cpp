// SPDX-License-Identifier: BSL-1.0
// A slice along an axis that the shape does not have.
//
// expect: ashlar: slice: the axis must be a position or a named axis that occurs once in the shape
//
// expect: axis_argument<
#include <ashlar/expr/shape/shape_ops.hpp>

inline constexpr ashlar::axis<"seq", 4> seq;
inline constexpr ashlar::axis<"key", 4> key;
ashlar::tensor<float, seq, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = slice<key, 0, 2>(x);
#else
auto z = slice<seq, 0, 2>(x);
#endif
