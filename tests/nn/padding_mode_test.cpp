// SPDX-License-Identifier: BSL-1.0
// Padding modes of convolutions: a signal that is padded entry by entry, and loops over PyTorch's definition.
#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;

/// The entry that is at place i of an axis with its padding.
std::size_t source(nn::padding_mode mode, std::size_t i, std::size_t padding, std::size_t n) {
    const bool before = i < padding;
    if (!before && i - padding < n) return i - padding;
    if (mode == nn::padding_mode::reflect) return before ? padding - i : 2 * (n - 1) - (i - padding);
    if (mode == nn::padding_mode::replicate) return before ? 0 : n - 1;
    return (i + n - padding % n) % n;
}
/// [batch, channels, H, W] with its padding.
reference::array framed(const reference::array& x, nn::padding_mode mode, std::size_t down, std::size_t across) {
    const std::size_t height = x.extents[2], width = x.extents[3];
    reference::array y = reference::make({x.extents[0], x.extents[1], height + 2 * down, width + 2 * across});
    for (std::size_t i = 0; i < y.size(); ++i) {
        const reference::index c = reference::coordinates(y.extents, i);
        y.values[i] =
            reference::at(x, {c[0], c[1], source(mode, c[2], down, height), source(mode, c[3], across, width)});
    }
    return y;
}

template <nn::conv1d_options Options, std::size_t Time, bool Computed = false>
void check1d() {
    constexpr std::size_t in = Options.in;
    static nn::conv1d<Options> conv{};
    const support::state s = support::fill(conv, 1);
    const auto x = support::random_numbers(2).normal<float, 2, in, Time>();
    const auto values = reference::map(reference::of(x), [](double e) { return Computed ? 2 * e : e; });
    const auto wide = framed(support::as(values, {2, in, 1, Time}), Options.padding_mode, 0, Options.padding);
    const auto expected = support::convolved(support::as(wide, {2, in, Time + 2 * Options.padding}), s,
                                             {Options.kernel, Options.stride, 0, Options.dilation}, Options.groups);
    if constexpr (Computed)
        support::check(conv(2.0f * x), expected, 1e-5);
    else
        support::check(conv(x), expected, 1e-5);
}

TEST(padding_mode, conv1d) {
    check1d<{.in = 3, .out = 4, .kernel = 5, .padding = 2, .padding_mode = nn::padding_mode::reflect}, 11>();
    check1d<{.in = 3, .out = 4, .kernel = 5, .padding = 7, .padding_mode = nn::padding_mode::replicate}, 6, true>();
    check1d<{.in = 3, .out = 4, .kernel = 3, .padding = 6, .dilation = 2, .padding_mode = nn::padding_mode::circular},
            6>();
}
TEST(padding_mode, depthwise) {
    check1d<{.in = 4,
             .out = 4,
             .kernel = 3,
             .stride = 2,
             .padding = 2,
             .groups = 4,
             .padding_mode = nn::padding_mode::reflect},
            9>();
}

template <nn::conv2d_options Options>
void check2d() {
    constexpr std::size_t in = Options.in;
    static nn::conv2d<Options> conv{};
    const support::state s = support::fill(conv, 1);
    const auto x = support::random_numbers(2).normal<float, 1, in, 6, 7>();
    const auto wide = framed(reference::of(x), Options.padding_mode, Options.padding.first, Options.padding.second);
    support::check(conv(x),
                   support::convolved(wide, s.arrays[0], s.arrays[1].values.data(), {.kernel = Options.kernel.first},
                                      {.kernel = Options.kernel.second}, Options.groups),
                   1e-5);
}

TEST(padding_mode, conv2d) {
    check2d<{.in = 2, .out = 3, .kernel = 3, .padding = {1, 2}, .padding_mode = nn::padding_mode::reflect}>();
    check2d<{
        .in = 3, .out = 3, .kernel = 3, .padding = {0, 2}, .groups = 3, .padding_mode = nn::padding_mode::replicate}>();
}

}  // namespace
