// SPDX-License-Identifier: BSL-1.0
// Padding modes of convolutions: a padded signal, written entry by entry, through the same layer without padding.
#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;

/// The entry of an axis at a place from -padding on; -1 is none.
std::ptrdiff_t source(nn::padding_mode mode, std::ptrdiff_t i, std::ptrdiff_t n) {
    if (i >= 0 && i < n) return i;
    switch (mode) {
    case nn::padding_mode::reflect: return i < 0 ? -i : 2 * (n - 1) - i;
    case nn::padding_mode::replicate: return i < 0 ? 0 : n - 1;
    case nn::padding_mode::circular: return (i + n) % n;
    default: return -1;
    }
}

template <nn::conv1d_options Options, std::size_t Time>
void check1d() {
    using layer = nn::conv1d<Options>;
    constexpr auto plain_options = [] {
        auto options = Options;
        options.padding = 0;
        options.padding_mode = nn::padding_mode::zeros;
        return options;
    }();
    static layer conv{};
    static nn::conv1d<plain_options> plain{};
    support::fill(conv, 1);
    support::fill(plain, 1);
    constexpr std::size_t padding = Options.padding;
    const auto x = support::random_numbers(2).normal<float, 2, layer::in, Time>();
    tensor<float, 2, layer::in, Time + 2 * padding> framed{};
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t c = 0; c < layer::in; ++c)
            for (std::size_t i = 0; i < Time + 2 * padding; ++i) {
                const auto at =
                    source(Options.padding_mode, static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(padding),
                           static_cast<std::ptrdiff_t>(Time));
                framed(b, c, i) = at < 0 ? 0.0f : x(b, c, static_cast<std::size_t>(at));
            }
    const auto expected = eval(plain(framed));
    support::check(conv(x), reference::of(expected), 1e-5);
    const tensor<float, 2, layer::in, Time> half = 0.5f * x;
    support::check(conv(2.0f * half), reference::of(expected), 1e-5);
}

TEST(padding_mode, conv1d) {
    check1d<{.in = 3, .out = 4, .kernel = 5, .padding = 2, .padding_mode = nn::padding_mode::zeros}, 11>();
    check1d<{.in = 3, .out = 4, .kernel = 5, .padding = 2, .padding_mode = nn::padding_mode::reflect}, 11>();
    check1d<{.in = 3, .out = 4, .kernel = 5, .padding = 7, .padding_mode = nn::padding_mode::replicate}, 6>();
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
    using layer = nn::conv2d<Options>;
    constexpr auto plain_options = [] {
        auto options = Options;
        options.padding = 0;
        options.padding_mode = nn::padding_mode::zeros;
        return options;
    }();
    static layer conv{};
    static nn::conv2d<plain_options> plain{};
    support::fill(conv, 1);
    support::fill(plain, 1);
    constexpr std::size_t down = Options.padding.first, across = Options.padding.second, height = 6, width = 7;
    const auto x = support::random_numbers(2).normal<float, layer::in, height, width>();
    tensor<float, layer::in, height + 2 * down, width + 2 * across> framed{};
    for (std::size_t c = 0; c < layer::in; ++c)
        for (std::size_t i = 0; i < height + 2 * down; ++i)
            for (std::size_t j = 0; j < width + 2 * across; ++j)
                framed(c, i, j) =
                    x(c,
                      static_cast<std::size_t>(
                          source(Options.padding_mode,
                                 static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(down), height)),
                      static_cast<std::size_t>(
                          source(Options.padding_mode,
                                 static_cast<std::ptrdiff_t>(j) - static_cast<std::ptrdiff_t>(across), width)));
    const auto expected = eval(plain(framed));
    support::check(conv(x), reference::of(expected), 1e-5);
}

TEST(padding_mode, conv2d) {
    check2d<{.in = 2, .out = 3, .kernel = 3, .padding = {1, 2}, .padding_mode = nn::padding_mode::reflect}>();
    check2d<{.in = 2, .out = 3, .kernel = 3, .padding = 1, .padding_mode = nn::padding_mode::circular}>();
    check2d<{
        .in = 3, .out = 3, .kernel = 3, .padding = {0, 2}, .groups = 3, .padding_mode = nn::padding_mode::replicate}>();
}

}  // namespace
