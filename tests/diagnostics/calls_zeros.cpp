// SPDX-License-Identifier: BSL-1.0
// zeros with its extents as arguments.
//
// expect: ashlar: tensor: element type and dimensions are template arguments; write zeros<float, 4, 8>(), full<float, 4, 8>(1), iota<float, 8>()
#include <ashlar/ashlar.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
auto y = zeros(4, 8);
#else
auto y = zeros<float, 4, 8>();
#endif
