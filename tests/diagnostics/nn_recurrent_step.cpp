// SPDX-License-Identifier: BSL-1.0
// A step of a layer that also reads from the last step to the first.
//
// expect: ashlar: nn: a bidirectional layer has no single step, since its second direction begins at the last
//
// expect: recurrent_step<
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/gru.hpp>

using namespace ashlar;
nn::gru<{.in = 4, .hidden = 8, .bidirectional = true}> both{};
nn::gru<{.in = 4, .hidden = 16}> one{};
#ifdef ASHLAR_EXPECT_ERROR
auto& layer = both;
#else
auto& layer = one;
#endif
tensor<float, 16> follow(const tensor<float, 4>& x) {
    static std::remove_reference_t<decltype(layer)>::state<> s{};
    return layer.step(x, s);
}
