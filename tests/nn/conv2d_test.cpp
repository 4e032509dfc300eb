// SPDX-License-Identifier: BSL-1.0
// conv2d against loops over PyTorch's definition, with weights in PyTorch's layout.
#include <string>

#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;

constexpr nn::conv2d_options channels_last(nn::conv2d_options options) {
    options.channels_last = true;
    return options;
}
/// Nothing, or the input of the layer is computed.
constexpr auto in_memory = [](const auto& x) -> const auto& { return x; };
constexpr auto computed = [](const auto& x) { return x + 0.0f; };

/// What the plan says of the call, which is compared with the loops before.
template <nn::conv2d_options Options, std::size_t Height, std::size_t Width, class Weight = float, class Input>
std::string two_axes(Input input) {
    constexpr std::size_t in = Options.in;
    static nn::conv2d<Options, float, Weight> conv{};
    const support::state s = support::fill(conv, Height + in);
    constexpr bool last = Options.channels_last;
    using image = std::conditional_t<last, tensor<float, 2, Height, Width, in>, tensor<float, 2, in, Height, Width>>;
    image x;
    support::random_numbers(Width).fill_normal(x);
    reference::array given = reference::of(x);
    if (last) given = reference::permute(given, {0, 3, 1, 2});
    reference::array expected = support::convolved(
        given, s.arrays[0], s.arrays[1].values.data(),
        {Options.kernel.first, Options.stride.first, Options.padding.first, Options.dilation.first},
        {Options.kernel.second, Options.stride.second, Options.padding.second, Options.dilation.second},
        Options.groups);
    if (last) expected = reference::permute(expected, {0, 2, 3, 1});
    support::check(conv(input(x)), expected, 1e-5);
    return explain(conv(input(x))).c_str();
}

TEST(conv2d, windows_are_copied) {
    two_axes<{.in = 3, .out = 8, .kernel = 4, .stride = 4}, 8, 12>(in_memory);
    constexpr nn::conv2d_options padded{.in = 2, .out = 5, .kernel = {3, 2}, .stride = {2, 1}, .padding = {1, 0}};
    two_axes<padded, 9, 17>(in_memory);
    two_axes<channels_last(padded), 9, 17>(computed);
    two_axes<channels_last({.in = 12, .out = 80, .kernel = 3}), 5, 6>(in_memory);  // many results
    constexpr nn::conv2d_options dilated{.in = 16, .out = 5, .kernel = 3, .padding = 1, .dilation = {1, 2}};
    two_axes<channels_last(dilated), 7, 9>(in_memory);
}

TEST(conv2d, groups) {
    constexpr nn::conv2d_options options{.in = 4, .out = 6, .kernel = 3, .padding = 1, .groups = 2};
    two_axes<options, 5, 9>(in_memory);
    two_axes<options, 5, 9, std::int8_t>(in_memory);  // such weights stay floats
}
TEST(conv2d, one_pixel) { two_axes<{.in = 4, .out = 8, .kernel = 1}, 3, 5>(in_memory); }

// The kernel's rows are products of windows that are not copied: the plan copies only what it pads.
TEST(conv2d, rows_of_the_kernel_in_place) {
    constexpr nn::conv2d_options strided{.in = 20, .out = 40, .kernel = {3, 2}, .stride = {1, 2}, .padding = {1, 0}};
    for (const std::string& text :
         {two_axes<channels_last({.in = 11, .out = 17, .kernel = 3, .padding = 1}), 7, 9>(computed),
          two_axes<channels_last({.in = 16, .out = 5, .kernel = {2, 3}, .stride = {2, 1}, .dilation = {3, 1}}), 11, 19>(
              in_memory),
          two_axes<strided, 6, 8>(in_memory)}) {
        EXPECT_NE(text.find("matmul(reshape(windows("), text.npos) << text;
        EXPECT_EQ(text.find("= windows("), text.npos) << text;
    }
}

TEST(conv2d, single_channels) {
    constexpr nn::conv2d_options neighbours{
        .in = 3, .out = 3, .kernel = {3, 2}, .stride = {2, 1}, .padding = 1, .dilation = {1, 2}, .groups = 3};
    two_axes<neighbours, 7, 9>(in_memory);
    two_axes<channels_last(neighbours), 7, 9>(computed);
    constexpr nn::conv2d_options once{.in = 4, .out = 4, .kernel = 1, .stride = 2, .groups = 4};
    two_axes<once, 5, 9>(in_memory);
    two_axes<channels_last(once), 5, 9>(in_memory);
}
TEST(conv2d, strides_of_single_channels) {
    const std::string text =
        two_axes<{.in = 5, .out = 5, .kernel = {2, 5}, .stride = {2, 3}, .padding = 1, .dilation = {1, 2}, .groups = 5},
                 4, 37>(in_memory);
    EXPECT_NE(text.find("t2 = transpose(reshape(t1))"), text.npos) << text;  // rows in three phases
    two_axes<{.in = 2, .out = 2, .kernel = 2, .stride = 4, .padding = {0, 1}, .groups = 2}, 5, 21>(computed);
}

TEST(conv2d, windows_of_repeated_channels) {
    two_axes<{.in = 3, .out = 6, .kernel = {6, 7}, .padding = {1, 0}, .groups = 3}, 7, 9>(in_memory);
}
static_assert(std::is_aggregate_v<nn::conv2d<{.in = 6, .out = 9, .kernel = 3}>>);

}  // namespace
