// SPDX-License-Identifier: BSL-1.0
// unsqueeze called as in libraries whose shapes are known at run time.
//
// expect: ashlar: unsqueeze: takes one tensor, view or expression, and the position of the new axis as template argument; write unsqueeze<0>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = unsqueeze(a, 0);
#else
auto y = unsqueeze<0>(a);
#endif
