// SPDX-License-Identifier: BSL-1.0
// A module takes inputs of the width in its options.
// expect: ashlar: nn: the last axis of the input must be as wide as the module's options say; change one
// expect: 32
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/linear.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
void project(tensor<float, 4, 32>& y, const tensor<float, 4, 32>& x, const nn::linear<{.in = 64, .out = 32}>& layer) {
#else
void project(tensor<float, 4, 32>& y, const tensor<float, 4, 32>& x, const nn::linear<{.in = 32, .out = 32}>& layer) {
#endif
    y = layer(x);
}
