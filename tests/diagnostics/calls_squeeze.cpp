// SPDX-License-Identifier: BSL-1.0
// squeeze called as in libraries whose shapes are known at run time.
//
// expect: ashlar: squeeze: takes one tensor, view or expression, and axes as template arguments; write squeeze<0>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = squeeze(a + a, 0);
#else
auto y = squeeze(a + a);
#endif
