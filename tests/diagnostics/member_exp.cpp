// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: exp.
//
// expect: ashlar: member: operations are functions; write exp(x), matmul(x, y), eval(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = a.exp();
#else
auto y = exp(a);
#endif
