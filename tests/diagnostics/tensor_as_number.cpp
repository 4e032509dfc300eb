// SPDX-License-Identifier: BSL-1.0
// A function of the standard library, which takes numbers.
//
// expect: ashlar: member: a tensor is no number; write exp(x), x(i, j); tensor/print.hpp prints eval(e)
#include <cmath>

#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    a = std::exp(a);
#else
    a = exp(a);
#endif
}
