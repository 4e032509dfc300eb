// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: sum.
//
// expect: ashlar: member: axes are template arguments; write sum<1>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = a.sum(1);
#else
auto y = sum<1>(a);
#endif
