// SPDX-License-Identifier: BSL-1.0
// A tensor of bools is no mask for the layers of an encoder either, and none of their plans says so once more.
// expect: ashlar: attention: options are a mask, scale(s), softcap(c), bias(e), score_mod(f) and fast; a bool tensor
// becomes a mask by keep(t) or ignore(t)
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/transformers/encoder.hpp>

using namespace ashlar;

using encoder = nn::encoder<{.layer = {.embed = 32, .heads = 2}, .layers = 2}>;

void encode(tensor<float, 8, 32>& y, const tensor<float, 8, 32>& x, const tensor<bool, 8>& padding, const encoder& e) {
#ifdef ASHLAR_EXPECT_ERROR
    y = e(x, padding);
#else
    y = e(x, ignore(padding));
#endif
}
