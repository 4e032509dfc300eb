// SPDX-License-Identifier: BSL-1.0
// Feed-forward blocks against loops over their state dicts.
#include <tests/nn/state.hpp>

#include <ashlar/nn/layers/feed_forward.hpp>

namespace {

using namespace ashlar;
using nn::activation;
using reference::of;

template <nn::feed_forward_options Options>
void check_block() {
    static nn::feed_forward<Options> m{};
    state::randomise(m);
    const auto x = support::random_numbers(6).normal<float, 7, 24>();
    support::check(m(x), state::feed_forward(state::of(m), "", Options.activation, of(x)), 2e-6);
    // The wide values never exist beyond a tile, also behind a node.
    static_assert(plan<decltype(m(x))>.step_count == 1 && plan<decltype(m(x))>.barrier_count == 0);
    static_assert(plan<decltype(m(x + x))>.step_count == 1 &&
                  plan<decltype(m(x + x))>.steps[0].products == (Options.gated ? 3 : 2));
}

TEST(feed_forward, plain) {
    check_block<{.embed = axis<"embed", 24>{}, .hidden = 40}>();
    check_block<{.embed = 24, .hidden = 37, .activation = activation::gelu, .bias = false}>();
}
TEST(feed_forward, gated) {
    check_block<{.embed = 24, .hidden = 37, .activation = activation::silu, .gated = true, .bias = false}>();
}

}  // namespace
