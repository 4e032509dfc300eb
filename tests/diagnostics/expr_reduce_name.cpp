// SPDX-License-Identifier: BSL-1.0
// A sum along a name that occurs twice.
// expect: ashlar: reduction: each axis must be a position or a named axis that occurs once in the shape
// expect: axis_argument<
#include <ashlar/expr/reductions/reduce.hpp>

using namespace ashlar;
inline constexpr axis<"seq", 4> seq;
inline constexpr axis<"key", 4> key;
tensor<float, seq, seq> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = sum<seq>(x);
#else
auto z = sum<1>(x);
#endif
