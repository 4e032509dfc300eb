// SPDX-License-Identifier: BSL-1.0
// transpose called as in libraries whose shapes are known at run time.
//
// expect: ashlar: transpose: takes one tensor, view or expression, and exchanges its last two axes; write transpose(x), permute<1, 0, 2>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = transpose(a, 0, 1);
#else
auto y = transpose(a);
#endif
