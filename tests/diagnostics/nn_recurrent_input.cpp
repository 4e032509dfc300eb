// SPDX-License-Identifier: BSL-1.0
// One step without a state, as if it were a sequence.
//
// expect: ashlar: nn: the input of a recurrent layer must be [..., steps, in] with .in as the options say; for
//
// expect: recurrent_input<
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/lstm.hpp>

using namespace ashlar;
nn::lstm<{.in = 4, .hidden = 8}> layer{};
tensor<float, 8> follow(const tensor<float, 4>& x) {
#ifdef ASHLAR_EXPECT_ERROR
    return layer(x);
#else
    const tensor<float, 1, 8> all = layer(reshape<1, 4>(x));
    return all[0];
#endif
}
