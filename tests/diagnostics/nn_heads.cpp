// SPDX-License-Identifier: BSL-1.0
// Heads of embed / heads must be whole.
//
// expect: ashlar: multihead_attention: embed must be a multiple of heads; or give head_width
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/multihead_attention.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::nn::multihead_attention<{.embed = 32, .heads = 5}> mha;
#else
ashlar::nn::multihead_attention<{.embed = 32, .heads = 5, .head_width = 8}> mha;
#endif
