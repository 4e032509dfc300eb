// SPDX-License-Identifier: BSL-1.0
// permute called as in libraries whose shapes are known at run time.
//
// expect: ashlar: permute: takes one tensor, view or expression, and the axes as template arguments; write permute<1, 0>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = permute(a, {1, 0});
#else
auto y = permute<1, 0>(a);
#endif
