// SPDX-License-Identifier: BSL-1.0
// Padding, which a transposed convolution takes away, and nothing left.
//
// expect: ashlar: nn: the padding of a transposed convolution must leave a result; make it smaller
//
// expect: transposed_results<
#include <ashlar/nn.hpp>

using namespace ashlar;
nn::conv_transpose1d<{.in = 6, .out = 8, .kernel = 3, .padding = 2}> up{};
tensor<float, 6, 20> x{};
#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 8, 1> y = up(slice<1, 0, 2>(x));
#else
tensor<float, 8, 18> y = up(x);
#endif
