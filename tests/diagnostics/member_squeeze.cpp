// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: squeeze.
//
// expect: ashlar: member: axes are template arguments; write squeeze<0>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = (a + a).unsqueeze(0);
#else
auto y = unsqueeze<0>(a + a);
#endif
