// SPDX-License-Identifier: BSL-1.0
// rename with axes as arguments.
//
// expect: ashlar: rename: takes one tensor, view or expression, and the dimensions as template arguments; write rename<rows, columns>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};
inline constexpr ashlar::axis<"wide", 8> wide;

#ifdef ASHLAR_EXPECT_ERROR
auto y = rename(a, 4, wide);
#else
auto y = rename<4, wide>(a);
#endif
