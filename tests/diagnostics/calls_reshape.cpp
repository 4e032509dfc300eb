// SPDX-License-Identifier: BSL-1.0
// reshape called as in libraries whose shapes are known at run time.
//
// expect: ashlar: reshape: takes one tensor, view or expression, and the dimensions as template arguments; write reshape<8, 4>(x), reshape<-1>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = reshape(a, 8, 4);
#else
auto y = reshape<8, 4>(a);
#endif
