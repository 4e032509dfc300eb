// SPDX-License-Identifier: BSL-1.0
// cast with a value of the type.
//
// expect: ashlar: cast: takes one tensor, view or expression, and the element type as template argument; write cast<float>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = cast(a, 1.0);
#else
auto y = cast<double>(a);
#endif
