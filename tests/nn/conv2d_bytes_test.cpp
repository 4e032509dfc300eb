// SPDX-License-Identifier: BSL-1.0
// conv2d with weights in 8 bits against loops over integers, exactly: its windows are rounded where they lie.
#include <cstdint>

#include <gtest/gtest.h>
#include <tests/support/byte_convolution.hpp>

namespace {

using namespace ashlar;

template <nn::conv2d_options Options, std::size_t Height, std::size_t Width>
void expect_exact() {
    EXPECT_EQ((support::wrong_of_byte_convolution<Options, Height, Width>([](auto evaluate) { evaluate(); })), 0u);
}
constexpr nn::conv2d_options last(nn::conv2d_options options) {
    options.channels_last = true;
    options.bias = false;
    return options;
}

TEST(conv2d_bytes, windows_in_whole_registers) {
    expect_exact<{.in = 16, .out = 16, .kernel = 3, .padding = 1, .bias = false}, 6, 7>();
    expect_exact<last({.in = 16, .out = 5, .kernel = {2, 3}, .stride = {2, 1}}), 7, 9>();
    expect_exact<last({.in = 32, .out = 17, .kernel = {3, 1}, .stride = {1, 2}, .padding = {0, 1}}), 5, 6>();
}
TEST(conv2d_bytes, odd_windows) {
    expect_exact<{.in = 3, .out = 7, .kernel = 3, .padding = {2, 1}, .bias = false}, 5, 9>();
    expect_exact<last({.in = 1, .out = 9, .kernel = {10, 4}, .stride = 2, .padding = {5, 1}}), 21, 10>();
}
TEST(conv2d_bytes, dilated_windows) {
    expect_exact<{.in = 16, .out = 4, .kernel = 3, .padding = 2, .dilation = 2, .bias = false}, 7, 8>();
    expect_exact<last({.in = 16, .out = 4, .kernel = {13, 3}, .padding = {6, 2}, .dilation = {1, 2}}), 9, 6>();
}
TEST(conv2d_bytes, single_taps) {
    expect_exact<{.in = 24, .out = 9, .kernel = 1, .bias = false}, 5, 3>();
    expect_exact<last({.in = 7, .out = 4, .kernel = 1, .stride = 2}), 5, 4>();
}

}  // namespace
