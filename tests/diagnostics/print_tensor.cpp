// SPDX-License-Identifier: BSL-1.0
// A tensor written to a stream without the header that prints.
// expect: ashlar: print: tensors are printed by a header of its own; include <ashlar/tensor/print.hpp>
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
