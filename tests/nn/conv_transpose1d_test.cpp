// SPDX-License-Identifier: BSL-1.0
// conv_transpose1d against loops over PyTorch's definition.
#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;
using reference::array;

/// [batch, in, T] with weights [in, out / groups, kernel] to [batch, out, results].
[[gnu::noinline]] array transposed(const array& x, const support::state& s, const nn::conv_transpose1d_options& o) {
    const std::size_t out = o.out, batch = x.extents[0], in = x.extents[1], time = x.extents[2], per = out / o.groups,
                      results =
                          (time - 1) * o.stride + o.dilation * (o.kernel - 1) + o.output_padding + 1 - 2 * o.padding;
    array y = reference::make({batch, out, results});
    for (std::size_t i = 0; i < y.size(); ++i) y.values[i] = o.bias ? s.arrays[1].values[i / results % out] : 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t n = 0; n < per; ++n)
            for (std::size_t k = 0; k < o.kernel; ++k) {
                const std::size_t c = i / time % in, at = i % time * o.stride + k * o.dilation,
                                  row = i / time / in * out + c / (in / o.groups) * per + n;
                if (at < o.padding || at - o.padding >= results) continue;
                y.values[row * results + at - o.padding] +=
                    x.values[i] * s.arrays[0].values[(c * per + n) * o.kernel + k];
            }
    return y;
}

/// In the layout of the options.
template <nn::conv_transpose1d_options Options, std::size_t Time>
void check() {
    constexpr std::size_t in = Options.in;
    static nn::conv_transpose1d<Options> up{};
    const support::state s = support::fill(up, Time);
    support::random_numbers random(Time);
    if constexpr (Options.channels_last) {
        const auto x = random.normal<float, 2, Time, in>();
        support::check(up(x), reference::transpose(transposed(reference::transpose(reference::of(x)), s, Options)),
                       1e-5);
    } else {
        const auto x = random.normal<float, 2, in, Time>();
        support::check(up(x), transposed(reference::of(x), s, Options), 1e-5);
    }
}

TEST(conv_transpose1d, strides) {
    check<{.in = 3, .out = 5, .kernel = 4, .stride = 2, .padding = 1}, 9>();
    check<{.in = 3, .out = 5, .kernel = 16, .stride = 8, .padding = 4, .channels_last = true}, 6>();
    check<{.in = 4, .out = 2, .kernel = 3, .bias = false}, 7>();
}
TEST(conv_transpose1d, output_padding) {
    check<{.in = 3, .out = 2, .kernel = 2, .stride = 4, .output_padding = 3}, 5>();
}
TEST(conv_transpose1d, groups) {
    check<{.in = 6, .out = 4, .kernel = 4, .stride = 2, .padding = 1, .groups = 2, .channels_last = true}, 9>();
    check<{.in = 3, .out = 3, .kernel = 5, .stride = 3, .groups = 3}, 8>();
}
TEST(conv_transpose1d, dilation) {
    check<{.in = 3, .out = 2, .kernel = 3, .stride = 2, .padding = 2, .dilation = 3}, 8>();
}

}  // namespace
