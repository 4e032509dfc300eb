// SPDX-License-Identifier: BSL-1.0
// A sum along an axis that is an argument.
//
// expect: ashlar: reduction: takes one tensor, view or expression, and axes as template arguments; write sum<1>(x), sum<0, 1>(x, keep_dims)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = sum(a, 1);
#else
auto y = sum<1>(a);
#endif
