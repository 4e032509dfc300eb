// SPDX-License-Identifier: BSL-1.0
// The call of an encoder written to a stream.
//
// expect: ashlar: member: a tensor is no number; write exp(x), x(i, j); tensor/print.hpp prints eval(e)
#include <iostream>

#include <ashlar/nn.hpp>
#include <ashlar/tensor/print.hpp>

static ashlar::tensor<float, 4, 8> a{};
static ashlar::nn::encoder<{.layer = {.embed = 8, .heads = 2, .hidden = 16}, .layers = 1}> encode{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    std::cout << encode(a);
#else
    std::cout << eval(encode(a));
#endif
}
