// SPDX-License-Identifier: BSL-1.0
// The same in a module: ten heads share a width of 256.
// expect: ashlar: multihead_attention: embed must be a multiple of heads; or give head_width
#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>
using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
using attention_of_layer = nn::multihead_attention<{.embed = 256, .heads = 10}>;
#else
using attention_of_layer = nn::multihead_attention<{.embed = 256, .heads = 8}>;
#endif

tensor<float, 32, 256> attend(const attention_of_layer& layer, const tensor<float, 32, 256>& x) { return layer(x); }
