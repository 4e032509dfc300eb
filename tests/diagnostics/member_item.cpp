// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: item.
//
// expect: ashlar: member: elements are indexed; write x(i, j), eval(e)(i, j)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = sum(a).item();
#else
auto y = eval(sum(a))();
#endif
