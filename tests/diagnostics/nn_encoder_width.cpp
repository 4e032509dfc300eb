// SPDX-License-Identifier: BSL-1.0
// An encoder called with an input of another width.
//
// expect: ashlar: nn: the last axis of the input must be as wide as the module's options say; change one
//
// expect: module_input<
//
// expect: 8
#include <ashlar/nn.hpp>

static ashlar::nn::encoder<{.layer = {.embed = 8, .heads = 2}, .layers = 2}> encoder{};
static ashlar::tensor<float, 4, 9> wide{};
static ashlar::tensor<float, 4, 8> y{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    y = encoder(wide);
#else
    y = encoder(y);
#endif
}
