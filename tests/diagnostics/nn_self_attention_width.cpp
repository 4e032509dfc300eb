// SPDX-License-Identifier: BSL-1.0
// Self attention needs keys and values of the width of the queries.
//
// expect: ashlar: multihead_attention: self attention needs an input, keys and values of width embed; pass queries, keys and values
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/multihead_attention.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
using self = nn::multihead_attention<{.embed = 32, .heads = 4, .kdim = 16, .vdim = 16}>;
#else
using self = nn::multihead_attention<{.embed = 32, .heads = 4}>;
#endif
void attend(tensor<float, 4, 32>& y, const tensor<float, 4, 32>& x, const self& mha) { y = mha(x, causal); }
