// SPDX-License-Identifier: BSL-1.0
// A layer of 512 columns after an encoder of 384.
// expect: ashlar: nn: the last axis of the input must be as wide as the module's options say; change one
// expect: shape<384
// expect: 512
#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>
using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
using classifier = nn::linear<{.in = 512, .out = 10}>;
#else
using classifier = nn::linear<{.in = 384, .out = 10}>;
#endif

tensor<float, 10> classify(const classifier& layer, const tensor<float, 384>& sentence) { return layer(sentence); }
