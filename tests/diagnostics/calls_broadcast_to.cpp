// SPDX-License-Identifier: BSL-1.0
// broadcast_to called as in libraries whose shapes are known at run time.
//
// expect: ashlar: broadcast_to: takes one tensor, view or expression, and the dimensions as template arguments; write broadcast_to<8, 4>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = broadcast_to(a, {2, 4, 8});
#else
auto y = broadcast_to<2, 4, 8>(a);
#endif
