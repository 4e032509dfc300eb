// SPDX-License-Identifier: BSL-1.0
// conv2d with weights in 8 bits against loops over integers, exactly: its windows are rounded where they lie.
#include <cstdint>

#include <gtest/gtest.h>
#include <tests/support/byte_convolution.hpp>

namespace {

using namespace ashlar;

template <nn::conv2d_options Options, std::size_t Height, std::size_t Width>
void expect_exact() {
    constexpr nn::conv2d_options last = [] {
        nn::conv2d_options o = Options;
        o.channels_last = true;
        return o;
    }();
    const auto run = [](auto evaluate) { evaluate(); };
    EXPECT_EQ((support::wrong_of_byte_convolution<Options, Height, Width>(run)), 0u);
    EXPECT_EQ((support::wrong_of_byte_convolution<last, Height, Width>(run)), 0u);
}

TEST(conv2d_bytes, windows_in_whole_registers) {
    expect_exact<{.in = 16, .out = 16, .kernel = 3, .padding = 1, .bias = false}, 6, 7>();
    expect_exact<{.in = 16, .out = 5, .kernel = {2, 3}, .stride = {2, 1}, .bias = false}, 7, 9>();
    expect_exact<{.in = 32, .out = 17, .kernel = {3, 1}, .stride = {1, 2}, .padding = {0, 1}, .bias = false}, 5, 6>();
}
TEST(conv2d_bytes, odd_windows) {
    expect_exact<{.in = 3, .out = 7, .kernel = 3, .padding = {2, 1}, .bias = false}, 5, 9>();
    expect_exact<{.in = 1, .out = 9, .kernel = {10, 4}, .stride = 2, .padding = {5, 1}, .bias = false}, 21, 10>();
}
TEST(conv2d_bytes, dilated_windows) {
    expect_exact<{.in = 16, .out = 4, .kernel = 3, .padding = 2, .dilation = 2, .bias = false}, 7, 8>();
    expect_exact<{.in = 16, .out = 4, .kernel = {13, 3}, .padding = {6, 2}, .dilation = {1, 2}, .bias = false}, 9, 6>();
}
TEST(conv2d_bytes, single_taps) {
    expect_exact<{.in = 24, .out = 9, .kernel = 1, .bias = false}, 5, 3>();
    expect_exact<{.in = 7, .out = 4, .kernel = 1, .stride = 2, .bias = false}, 5, 4>();
}

// With groups weights stay floats.
TEST(conv2d_bytes, groups_are_convolutions_of_floats) {
    constexpr nn::conv2d_options options{.in = 16, .out = 8, .kernel = 3, .padding = 1, .groups = 2};
    static nn::conv2d<options, float, std::int8_t> bytes{};
    static nn::conv2d<options> floats{};
    tensor<float, 16, 5, 7> x;
    unsigned seed = 3;
    for (float& e : x) e = support::next_number(seed);
    for (float& e : floats.weight) e = support::next_number(seed);
    bytes.weight = floats.weight;
    const tensor<float, 8, 5, 7> expected = floats(x), y = bytes(x);
    for (std::size_t c = 0; c < 8; ++c)
        for (std::size_t i = 0; i < 5; ++i)
            for (std::size_t j = 0; j < 7; ++j) EXPECT_EQ(y(c, i, j), expected(c, i, j));
}

}  // namespace
