// SPDX-License-Identifier: BSL-1.0
// A tensor written to a stream without the header that prints.
// expect: ashlar: member: a tensor is no number; write exp(x), x(i, j); tensor/print.hpp prints eval(e)
#include <iostream>

#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    std::cout << a;
#else
    std::cout << a(0, 0);
#endif
}
