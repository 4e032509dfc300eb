// SPDX-License-Identifier: BSL-1.0
// More results behind the last one than there are between two inputs.
//
// expect: ashlar: nn: the output_padding of a transposed convolution must be less than its stride or its
//
// expect: transposed_options<
#include <ashlar/nn.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::nn::conv_transpose1d<{.in = 6, .out = 8, .kernel = 3, .stride = 2, .output_padding = 2}> up{};
#else
ashlar::nn::conv_transpose1d<{.in = 6, .out = 8, .kernel = 3, .stride = 2, .output_padding = 1}> up{};
#endif
