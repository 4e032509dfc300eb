// SPDX-License-Identifier: BSL-1.0
// conv1d with dilation and groups. Of a group for each channel: multiply-adds of rows, or windows if there are too many
// taps.
#include <string_view>

#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;
using support::one_axis;

TEST(conv1d_groups, dilation_and_groups) {
    one_axis<{.in = 4, .out = 9, .kernel = 3, .padding = 2, .dilation = 2}, 20>();
    one_axis<{.in = 6, .out = 9, .kernel = 3, .stride = 2, .padding = 1, .groups = 3}, 16>();
}
TEST(conv1d_groups, taps_are_named_or_windows) {
    one_axis<{.in = 17, .out = 17, .kernel = 3, .stride = 2, .padding = 2, .dilation = 2, .groups = 17}, 16>();
    one_axis<{.in = 3, .out = 6, .kernel = 1, .stride = 3, .groups = 3, .bias = false}, 7>();
    one_axis<{.in = 3, .out = 6, .kernel = 33, .padding = 16, .groups = 3}, 8>();
}

// Channels that have several results are repeated before there are windows of them, not in each window.
TEST(conv1d_groups, windows_are_not_copied) {
    static nn::conv1d<{.in = 16, .out = 32, .kernel = 40, .groups = 16, .channels_last = true}> conv{};
    static tensor<float, 200, 16> x{};
    EXPECT_LE(workspace_bytes<decltype(conv(x))>, 2 * sizeof(tensor<float, 200, 32>));
    static nn::conv2d<{.in = 4, .out = 8, .kernel = 6, .groups = 4, .channels_last = true}> square{};
    static tensor<float, 20, 20, 4> image{};
    EXPECT_LE(workspace_bytes<decltype(square(image))>, 2 * sizeof(tensor<float, 20, 20, 8>));
}

// Neither products of windows and weights nor their sums exist: the taps are added up in registers.
TEST(conv1d_groups, are_one_map) {
    static nn::conv1d<{.in = 16, .out = 16, .kernel = 5, .groups = 16, .channels_last = true}> conv{};
    static tensor<float, 36, 16> x{};
    EXPECT_EQ(workspace_bytes<decltype(conv(x))>, 0u);
    const auto text = explain(conv(x));
    EXPECT_EQ(std::string_view(text.data(), text.size()).find("reduce"), std::string_view::npos) << text.data();
}

}  // namespace
