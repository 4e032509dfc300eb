// SPDX-License-Identifier: BSL-1.0
// Modules filled with random numbers in the layout of files, and convolutions by PyTorch's definition.
#pragma once

#include <tests/support/differential.hpp>

#include <ashlar/nn.hpp>

namespace support {

/// Sets the arrays of a module from random numbers in the file's layout, and remembers these.
struct state {
    std::vector<reference::array> arrays;
};
template <class Module>
state fill(Module& m, unsigned seed) {
    state s;
    support::random_numbers random(seed);
    ashlar::nn::for_each_parameter(m, [&](const ashlar::nn::parameter& p) {
        reference::array a =
            reference::make({p.extents.begin(), p.extents.begin() + static_cast<std::ptrdiff_t>(p.rank)});
        for (std::size_t row = 0; row < p.rows; ++row)
            for (std::size_t column = 0; column < p.columns; ++column) {
                float value = random.normal<float, 1>()(0);
                if (p.name == "running_var") value = value * value + 0.1f;
                static_cast<float*>(p.data)[p.offset(row, column)] = value;
                a.values[row * p.columns + column] = static_cast<double>(value);
            }
        s.arrays.push_back(a);
    });
    return s;
}

struct along {
    std::size_t kernel = 1, stride = 1, padding = 0, dilation = 1;
    std::size_t windows(std::size_t extent) const {
        return (extent + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
    }
};
/// [batch, in, H, W] with weights [out, in / groups, h, w].
[[gnu::noinline]] inline reference::array convolved(const reference::array& x, const reference::array& weight,
                                                    const double* bias, along h, along w, std::size_t groups) {
    const std::size_t out = weight.extents[0], in = weight.extents[1], height = x.extents[2], width = x.extents[3];
    reference::array y = reference::make({x.extents[0], out, h.windows(height), w.windows(width)});
    for (std::size_t i = 0; i < y.size(); ++i) {
        const reference::index at = reference::coordinates(y.extents, i);
        double sum = bias == nullptr ? 0 : bias[at[1]];
        for (std::size_t c = 0; c < in; ++c)
            for (std::size_t r = 0; r < h.kernel; ++r)
                for (std::size_t q = 0; q < w.kernel; ++q) {
                    const std::size_t row = at[2] * h.stride + r * h.dilation,
                                      column = at[3] * w.stride + q * w.dilation;
                    if (row < h.padding || row >= height + h.padding) continue;
                    if (column < w.padding || column >= width + w.padding) continue;
                    const std::size_t channel = at[1] / (out / groups) * in + c;
                    sum += reference::at(weight, {at[1], c, r, q}) *
                           reference::at(x, {at[0], channel, row - h.padding, column - w.padding});
                }
        y.values[i] = sum;
    }
    return y;
}
inline reference::array as(reference::array a, std::vector<std::size_t> extents) {
    a.extents = std::move(extents);
    return a;
}

/// In both layouts, of memory and of what is computed.
template <ashlar::nn::conv1d_options Options, std::size_t Time>
void one_axis() {
    using namespace ashlar;
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

}  // namespace support
