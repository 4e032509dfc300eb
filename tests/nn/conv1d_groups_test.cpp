// SPDX-License-Identifier: BSL-1.0
// conv1d with dilation and groups, down to one channel each.
#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;
using support::along;
using support::as;
using support::check;
using support::convolved;
using support::fill;
using support::state;

/// In both layouts, of memory and of what is computed.
template <nn::conv1d_options Options, std::size_t Time>
void one_axis() {
    constexpr std::size_t in = Options.in, out = Options.out;
    static nn::conv1d<Options> conv{};
    const state s = fill(conv, Time + in);
    support::random_numbers random(Time);
    const auto x = random.normal<float, 2, in, Time>();
    const along w{Options.kernel, Options.stride, Options.padding, Options.dilation};
    const reference::array y = convolved(as(reference::of(x), {2, in, 1, Time}),
                                         as(s.arrays[0], {out, in / Options.groups, 1, Options.kernel}),
                                         Options.bias ? s.arrays[1].values.data() : nullptr, {}, w, Options.groups);
    const reference::array expected = as(y, {2, out, y.extents[3]});
    check(conv(x), expected, 1e-5);
    constexpr nn::conv1d_options last = [] {
        nn::conv1d_options o = Options;
        o.channels_last = true;
        return o;
    }();
    static nn::conv1d<last> behind{};
    behind.weight = conv.weight;
    if constexpr (Options.bias) behind.bias = conv.bias;
    const tensor<float, 2, Time, in> turned = transpose(x);
    check(behind(turned), reference::permute(expected, {0, 2, 1}), 1e-5);
    check(relu(behind(turned + 0.0f)), reference::permute(reference::map(expected, reference::relu), {0, 2, 1}), 1e-5);
}

TEST(conv1d, dilation_and_groups) {
    one_axis<{.in = 4, .out = 9, .kernel = 3, .padding = 2, .dilation = 2}, 20>();
    one_axis<{.in = 4, .out = 6, .kernel = 15, .dilation = 2}, 37>();
    one_axis<{.in = 6, .out = 9, .kernel = 3, .stride = 2, .padding = 1, .groups = 3}, 16>();
    one_axis<{.in = 6, .out = 12, .kernel = 5, .padding = 4, .dilation = 2, .groups = 6}, 19>();
    one_axis<{.in = 16, .out = 16, .kernel = 7, .padding = 3, .groups = 16}, 33>();
}
}  // namespace
