// SPDX-License-Identifier: BSL-1.0
// An expression written to a stream.
// expect: ashlar: member: a tensor is no number; write exp(x), x(i, j); tensor/print.hpp prints eval(e)
#include <iostream>

#include <ashlar/ashlar.hpp>
#include <ashlar/tensor/print.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    std::cout << (a + a);
#else
    std::cout << eval(a + a);
#endif
}
