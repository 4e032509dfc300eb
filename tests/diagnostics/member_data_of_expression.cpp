// SPDX-License-Identifier: BSL-1.0
// The memory of an expression.
//
// expect: ashlar: view: an expression has no memory; make a tensor of it first
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
const float* p = (a + a).data();
#else
const auto sums = eval(a + a);
const float* p = sums.data();
#endif
