// SPDX-License-Identifier: BSL-1.0
// conv2d against loops over PyTorch's definition, with weights in PyTorch's layout.
#include <string>

#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;
using support::check;
using support::convolved;
using support::fill;
using support::state;

/// Also of what is computed, if `Computed`.
template <nn::conv2d_options Options, std::size_t Height, std::size_t Width, bool Computed = false>
void two_axes() {
    constexpr std::size_t in = Options.in;
    static nn::conv2d<Options> conv{};
    const state s = fill(conv, Height + in);
    support::random_numbers random(Width);
    const auto x = random.normal<float, 2, in, Height, Width>();
    const reference::array expected =
        convolved(reference::of(x), s.arrays[0], s.arrays[1].values.data(),
                  {Options.kernel.first, Options.stride.first, Options.padding.first, Options.dilation.first},
                  {Options.kernel.second, Options.stride.second, Options.padding.second, Options.dilation.second},
                  Options.groups);
    check(conv(x), expected, 1e-5);
    constexpr nn::conv2d_options last = [] {
        nn::conv2d_options o = Options;
        o.channels_last = true;
        return o;
    }();
    static nn::conv2d<last> behind{};
    behind.weight = conv.weight;
    behind.bias = conv.bias;
    const tensor<float, 2, Height, Width, in> turned = permute<0, 2, 3, 1>(x);
    check(behind(turned), reference::permute(expected, {0, 2, 3, 1}), 1e-5);
    if constexpr (Computed) check(behind(turned + 0.0f), reference::permute(expected, {0, 2, 3, 1}), 1e-5);
}

TEST(conv2d, two_axes) {
    two_axes<{.in = 3, .out = 8, .kernel = 4, .stride = 4}, 8, 12>();
    two_axes<{.in = 2, .out = 5, .kernel = {3, 2}, .stride = {2, 1}, .padding = {1, 0}}, 9, 17, true>();
    two_axes<{.in = 1, .out = 6, .kernel = 3, .stride = 2, .padding = 1, .dilation = {1, 2}}, 11, 16>();
    two_axes<{.in = 4, .out = 6, .kernel = 3, .padding = 1, .groups = 2}, 5, 9>();
    two_axes<{.in = 3, .out = 3, .kernel = {3, 2}, .stride = {2, 1}, .padding = 1, .dilation = {1, 2}, .groups = 3}, 7,
             9>();
    two_axes<{.in = 4, .out = 8, .kernel = 1}, 3, 5>();
}

/// The kernel's rows are products of windows that are not copied: the plan copies only what it pads.
template <nn::conv2d_options Options, std::size_t Height, std::size_t Width>
void rows_in_place() {
    two_axes<Options, Height, Width, true>();
    constexpr std::size_t in = Options.in;
    static nn::conv2d<Options> conv{};
    static const tensor<float, Height, Width, in> x{};
    const std::string text(explain(conv(permute<2, 0, 1>(x))).c_str());
    EXPECT_NE(text.find("matmul(reshape(windows("), text.npos) << text;
    EXPECT_EQ(text.find("= windows("), text.npos) << text;
}

TEST(conv2d, strides_of_single_channels) {
    two_axes<{.in = 3, .out = 3, .kernel = 3, .stride = 2, .padding = 1, .groups = 3}, 16, 37, true>();
    two_axes<{.in = 5, .out = 5, .kernel = {1, 5}, .stride = {1, 3}, .dilation = {1, 2}, .groups = 5}, 3, 40>();
    two_axes<{.in = 2, .out = 2, .kernel = 2, .stride = 4, .padding = {0, 1}, .groups = 2}, 9, 21>();
    two_axes<{.in = 4, .out = 4, .kernel = 1, .stride = 2, .groups = 4}, 5, 9>();
    static nn::conv2d<{.in = 8, .out = 8, .kernel = 3, .stride = 2, .padding = 1, .groups = 8}> conv{};
    static const tensor<float, 8, 16, 16> x{};
    const std::string text(explain(conv(x)).c_str());
    EXPECT_NE(text.find("t2 = transpose(reshape(t1))"), text.npos) << text;  // rows in two phases
}

TEST(conv2d, rows_of_the_kernel_in_place) {
    rows_in_place<{.in = 11, .out = 17, .kernel = 3, .padding = 1}, 7, 9>();
    rows_in_place<{.in = 16, .out = 5, .kernel = {2, 3}, .stride = {2, 1}, .dilation = {3, 1}}, 11, 19>();
    rows_in_place<{.in = 20, .out = 40, .kernel = {3, 2}, .stride = {1, 2}, .padding = {1, 0}}, 6, 8>();
    two_axes<{.in = 12, .out = 80, .kernel = {3, 3}}, 5, 6>();  // many results: windows are copied
    two_axes<{.in = 16, .out = 5, .kernel = 3, .dilation = {1, 2}}, 7, 9>();
}

TEST(conv2d, windows_of_repeated_channels) {
    two_axes<{.in = 3, .out = 6, .kernel = {6, 7}, .padding = {1, 0}, .groups = 3}, 7, 9, true>();
}
static_assert(std::is_aggregate_v<nn::conv2d<{.in = 6, .out = 9, .kernel = 3}>>);

}  // namespace
