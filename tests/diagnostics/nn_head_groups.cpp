// SPDX-License-Identifier: BSL-1.0
// The heads of queries fall into groups of equal size, one for each head of keys.
//
// expect: ashlar: multihead_attention: heads must be a multiple of kv_heads; change one
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/multihead_attention.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::nn::multihead_attention<{.embed = 32, .heads = 8, .kv_heads = 3}> mha;
#else
ashlar::nn::multihead_attention<{.embed = 32, .heads = 8, .kv_heads = 2}> mha;
#endif
