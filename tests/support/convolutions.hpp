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
[[gnu::noinline]] inline void fill_parameter(state& s, const ashlar::nn::parameter& p, random_numbers& random) {
    reference::array a = reference::make({p.extents.begin(), p.extents.begin() + static_cast<std::ptrdiff_t>(p.rank)});
    for (std::size_t row = 0; row < p.rows; ++row)
        for (std::size_t column = 0; column < p.columns; ++column) {
            float value = random.normal<float, 1>()(0);
            if (p.name == "running_var") value = value * value + 0.1f;
            static_cast<float*>(p.data)[p.offset(row, column)] = value;
            a.values[row * p.columns + column] = static_cast<double>(value);
        }
    s.arrays.push_back(a);
}
template <class Module>
state fill(Module& m, unsigned seed) {
    state s;
    random_numbers random(seed);
    ashlar::nn::for_each_parameter(m, [&](const ashlar::nn::parameter& p) { fill_parameter(s, p, random); });
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

/// What a conv1d with the arrays of `s` makes of [batch, in, time].
[[gnu::noinline]] inline reference::array convolved(const reference::array& x, const state& s, const along& w,
                                                    std::size_t groups) {
    const reference::array& weight = s.arrays[0];
    const std::size_t out = weight.extents[0];
    reference::array y = convolved(as(x, {x.extents[0], x.extents[1], 1, x.extents[2]}),
                                   as(weight, {out, weight.extents[1], 1, w.kernel}),
                                   s.arrays.size() > 1 ? s.arrays[1].values.data() : nullptr, {}, w, groups);
    return as(y, {x.extents[0], out, y.extents[3]});
}
template <ashlar::nn::conv1d_options Options>
inline constexpr along along_time{Options.kernel, Options.stride, Options.padding, Options.dilation};

/// One evaluation, with channels last.
template <ashlar::nn::conv1d_options Options, std::size_t Time>
void channels_last() {
    using namespace ashlar;
    static_assert(Options.channels_last);
    constexpr std::size_t in = Options.in;
    static nn::conv1d<Options> conv{};
    const state s = fill(conv, Time);
    const auto x = random_numbers(Time).normal<float, 2, Time, in>();
    const auto expected = convolved(reference::transpose(reference::of(x)), s, along_time<Options>, Options.groups);
    check(conv(x), reference::transpose(expected), 1e-5);
}
/// In both layouts, of memory and of what is computed.
template <ashlar::nn::conv1d_options Options, std::size_t Time>
void one_axis() {
    using namespace ashlar;
    constexpr std::size_t in = Options.in;
    static nn::conv1d<Options> conv{};
    const state s = fill(conv, Time + in);
    const auto x = random_numbers(Time).normal<float, 2, in, Time>();
    const reference::array expected = convolved(reference::of(x), s, along_time<Options>, Options.groups);
    check(conv(x), expected, 1e-5);
    constexpr nn::conv1d_options last = [] {
        nn::conv1d_options o = Options;
        o.channels_last = true;
        return o;
    }();
    static nn::conv1d<last> behind{};
    behind.weight = conv.weight;
    if constexpr (Options.bias) behind.bias = conv.bias;
    tensor<float, 2, Time, in> turned;
    const reference::array values = reference::transpose(reference::of(x));
    for (std::size_t i = 0; i < turned.size(); ++i) turned.data()[i] = static_cast<float>(values.values[i]);
    check(relu(behind(turned + 0.0f)), reference::transpose(reference::map(expected, reference::relu)), 1e-5);
}

}  // namespace support
