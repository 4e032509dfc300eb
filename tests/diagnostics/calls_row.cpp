// SPDX-License-Identifier: BSL-1.0
// row called as in libraries whose shapes are known at run time.
//
// expect: ashlar: row: takes one tensor, view or expression and an integer; write row(x, i)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = row(a);
#else
auto y = row(a, 1);
#endif
