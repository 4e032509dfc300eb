// SPDX-License-Identifier: BSL-1.0
// A signal that is too short to be reflected so far.
//
// expect: ashlar: nn: a padding that reflects must be less than the extent of its axis, and a circular one at
//
// expect: padding_entries<3, 3,
#include <ashlar/nn.hpp>

using namespace ashlar;
#ifdef ASHLAR_EXPECT_ERROR
constexpr auto mode = nn::padding_mode::reflect;
#else
constexpr auto mode = nn::padding_mode::circular;
#endif
nn::conv1d<{.in = 6, .out = 8, .kernel = 3, .padding = 3, .padding_mode = mode}> conv{};
tensor<float, 6, 3> x{};
tensor<float, 8, 7> y = conv(x);
