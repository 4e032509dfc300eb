// SPDX-License-Identifier: BSL-1.0
// A module written to a stream.
//
// expect: ashlar: print: a module is not a tensor; write std::cout << m.bias for one of its arrays, or summary(m)
#include <iostream>

#include <ashlar/nn.hpp>
#include <ashlar/tensor/print.hpp>

using namespace ashlar;
static nn::linear<{.in = 8, .out = 2}> head{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    std::cout << head;
#else
    std::cout << head.bias;
#endif
}
