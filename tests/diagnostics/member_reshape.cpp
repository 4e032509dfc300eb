// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: reshape.
//
// expect: ashlar: member: dimensions are template arguments; write reshape<8, 4>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = (a + a).reshape(8, 4);
#else
auto y = reshape<8, 4>(a + a);
#endif
