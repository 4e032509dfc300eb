// SPDX-License-Identifier: BSL-1.0
// An encoder called with a vector of one axis.
//
// expect: ashlar: nn: the input of layers must be rows [..., rows, embed]; unsqueeze<0> makes one of a vector
#include <ashlar/nn.hpp>

static ashlar::nn::encoder<{.layer = {.embed = 8, .heads = 2}, .layers = 2}> encoder{};
static ashlar::tensor<float, 8> x{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = encoder(x);
#else
auto y = encoder(unsqueeze<0>(x));
#endif
