// SPDX-License-Identifier: BSL-1.0
// conv_transpose1d against loops over PyTorch's definition.
#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;

/// [batch, in, T] with weights [in, out / groups, kernel].
template <nn::conv_transpose1d_options Options, std::size_t Time>
void check() {
    using layer = nn::conv_transpose1d<Options>;
    static layer up{};
    const support::state s = support::fill(up, Time);
    const auto x = support::random_numbers(Time).normal<float, 2, layer::in, Time>();
    constexpr std::size_t in = layer::in, out = layer::out, kernel = layer::kernel, groups = Options.groups,
                          stride = Options.stride, padding = Options.padding, dilation = Options.dilation,
                          results =
                              (Time - 1) * stride + dilation * (kernel - 1) + Options.output_padding + 1 - 2 * padding;
    reference::array y = reference::make({2, out, results});
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t o = 0; o < out; ++o)
            for (std::size_t i = 0; i < results; ++i)
                y.values[(b * out + o) * results + i] = Options.bias ? s.arrays[1].values[o] : 0;
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t c = 0; c < in; ++c)
            for (std::size_t o = 0; o < out / groups; ++o)
                for (std::size_t t = 0; t < Time; ++t)
                    for (std::size_t k = 0; k < kernel; ++k) {
                        const std::size_t at = t * stride + k * dilation,
                                          channel = c / (in / groups) * (out / groups) + o;
                        if (at < padding || at - padding >= results) continue;
                        y.values[(b * out + channel) * results + at - padding] +=
                            static_cast<double>(x(b, c, t)) * s.arrays[0].values[(c * (out / groups) + o) * kernel + k];
                    }
    constexpr auto last_options = [] {
        auto options = Options;
        options.channels_last = true;
        return options;
    }();
    static nn::conv_transpose1d<last_options> last{};
    last.weight = up.weight;
    if constexpr (Options.bias) last.bias = up.bias;
    static_assert(shape_of<decltype(up(x))>::extents == std::array<std::size_t, 3>{2, out, results});
    support::check(up(x), y, 1e-5);
    support::check(transpose(last(transpose(x))), y, 1e-5);
}

TEST(conv_transpose1d, strides) {
    check<{.in = 3, .out = 5, .kernel = 4, .stride = 2, .padding = 1}, 9>();
    check<{.in = 4, .out = 2, .kernel = 3, .bias = false}, 7>();
    check<{.in = 2, .out = 3, .kernel = 2, .stride = 5}, 6>();
    check<{.in = 2, .out = 3, .kernel = 16, .stride = 8, .padding = 4}, 6>();
}
TEST(conv_transpose1d, output_padding) {
    check<{.in = 3, .out = 2, .kernel = 3, .stride = 2, .padding = 1, .output_padding = 1}, 8>();
    check<{.in = 3, .out = 2, .kernel = 2, .stride = 4, .output_padding = 3}, 5>();
}
TEST(conv_transpose1d, groups) {
    check<{.in = 6, .out = 4, .kernel = 4, .stride = 2, .padding = 1, .groups = 2}, 9>();
    check<{.in = 3, .out = 3, .kernel = 5, .stride = 3, .groups = 3}, 8>();
}
TEST(conv_transpose1d, dilation) {
    check<{.in = 3, .out = 2, .kernel = 3, .stride = 2, .padding = 2, .dilation = 3}, 8>();
}

}  // namespace
