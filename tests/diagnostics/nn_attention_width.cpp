// SPDX-License-Identifier: BSL-1.0
// Keys and values have the widths kdim and vdim.
//
// expect: ashlar: multihead_attention: queries, keys and values must be [..., rows, width] with the widths embed, kdim and vdim; change the options
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/multihead_attention.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
using cross = nn::multihead_attention<{.embed = 32, .heads = 4}>;
#else
using cross = nn::multihead_attention<{.embed = 32, .heads = 4, .kdim = 16, .vdim = 16}>;
#endif
void attend(tensor<float, 4, 32>& y, const tensor<float, 4, 32>& x, const tensor<float, 6, 16>& memory,
            const cross& mha) {
    y = mha(x, memory, memory);
}
