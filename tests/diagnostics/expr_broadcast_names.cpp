// SPDX-License-Identifier: BSL-1.0
// Axes of equal extent and different names meet.
//
// expect: ashlar: elementwise operation: the shapes must broadcast
//
// expect g++: fixed_string<4>{"key"}, 4>
//
// expect clang: axis<"key", 4>
#include <ashlar/expr/elementwise/operators.hpp>

using namespace ashlar;
inline constexpr axis<"seq", 4> seq;
inline constexpr axis<"key", 4> key;
tensor<float, seq> x;
tensor<float, key> y;
#ifdef ASHLAR_EXPECT_ERROR
auto z = x * y;
#else
auto z = x * y(0);
#endif
