// SPDX-License-Identifier: BSL-1.0
// A tensor of bools is no mask until it is said whether true keeps.
//
// expect: ashlar: multihead_attention: a call takes x, or queries, keys and values, and then options; a mask of bools is keep(m) or ignore(m), one of lengths keys_below(n), one that is added bias(m)
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/multihead_attention.hpp>

using namespace ashlar;

void attend(tensor<float, 4, 32>& y, const tensor<float, 4, 32>& x, const tensor<bool, 4, 4>& mask,
            const nn::multihead_attention<{.embed = 32, .heads = 4}>& mha) {
#ifdef ASHLAR_EXPECT_ERROR
    y = mha(x, mask);
#else
    y = mha(x, ignore(mask));
#endif
}
