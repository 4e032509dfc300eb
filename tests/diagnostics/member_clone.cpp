// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: clone.
//
// expect: ashlar: member: copies and casts are functions; write eval(x), cast<int>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = a.clone();
#else
auto y = eval(a);
#endif
