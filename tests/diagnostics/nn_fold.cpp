// SPDX-License-Identifier: BSL-1.0
// A norm folded into a layer without a bias.
//
// expect: ashlar: nn: fold takes two linear layers or convolutions that differ in their bias at most,
//
// expect: folded_modules<
#include <ashlar/nn.hpp>

using namespace ashlar;
nn::linear<{.in = 4, .out = 6, .bias = false}> plain{};
nn::linear<{.in = 4, .out = 6}> folded{};
nn::batch_norm<{.channels = 6}> layer{};
#ifdef ASHLAR_EXPECT_ERROR
void prepare() { nn::fold(plain, plain, layer); }
#else
void prepare() { nn::fold(folded, plain, layer); }
#endif
