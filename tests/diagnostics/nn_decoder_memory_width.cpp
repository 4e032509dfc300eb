// SPDX-License-Identifier: BSL-1.0
// A decoder called with a memory of another width.
// expect: ashlar: nn: the last axis of the input must be as wide as the module's options say; change one
#include <ashlar/nn.hpp>

using namespace ashlar;
static nn::decoder<{.layer = {.embed = 8, .heads = 2}, .layers = 2}> decoder{};
static tensor<float, 4, 9> wide{};
static tensor<float, 4, 8> y{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    y = decoder(y, wide);
#else
    y = decoder(y, y);
#endif
}
