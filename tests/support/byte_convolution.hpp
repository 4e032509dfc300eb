// SPDX-License-Identifier: BSL-1.0
// A convolution with weights in 8 bits beside loops over its definition. Without the heap, for microcontrollers too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

namespace support {

inline float next_number(unsigned& seed) {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<float>(static_cast<int>(seed >> 16) - 32768) / 32768.0f;
}

/// Floats rounded to 8 bits by one scale.
template <std::size_t Count>
struct rounded_line {
    std::int8_t bytes[Count];
    float scale;

    template <class Element>
    [[gnu::noinline]] void round(Element element) {
        float greatest = 0;
        for (std::size_t k = 0; k < Count; ++k) {
            const float size = element(k) < 0 ? -element(k) : element(k);
            greatest = size > greatest ? size : greatest;
        }
        scale = greatest / 127;
        const float inverse = greatest == 0 ? 0 : 127 / greatest;
        for (std::size_t k = 0; k < Count; ++k) {
            constexpr float whole = 12582912;                   // numbers around it have no fraction
            const volatile float exact = element(k) * inverse;  // rounded, before anything is added
            const volatile float moved = exact + whole;
            bytes[k] = static_cast<std::int8_t>(moved - whole);
        }
    }
};

/// The number of results that differ from the exact sums of integers: each window is rounded by its own scale. A bias
/// is zero, so that its addition rounds nothing. `run` calls the function that it is given, which evaluates the
/// convolution.
template <ashlar::nn::conv2d_options Options, std::size_t Height, std::size_t Width, class Run>
std::size_t wrong_of_byte_convolution(const Run& run) {
    static constexpr auto kernel = Options.kernel, stride = Options.stride, padding = Options.padding,
                          dilation = Options.dilation;
    constexpr std::size_t in = Options.in, out = Options.out, depth = kernel.first * kernel.second * in,
                          rows =
                              (Height + 2 * padding.first - (kernel.first - 1) * dilation.first - 1) / stride.first + 1,
                          columns =
                              (Width + 2 * padding.second - (kernel.second - 1) * dilation.second - 1) / stride.second +
                              1;
    constexpr bool last = Options.channels_last;
    static_assert(Options.groups == 1 && Options.padding_mode == ashlar::nn::padding_mode::zeros);
    static ashlar::nn::conv2d<Options, float, std::int8_t> conv;
    static ashlar::tensor<float, depth, out> w;
    static std::conditional_t<last, ashlar::tensor<float, Height, Width, in>, ashlar::tensor<float, in, Height, Width>>
        x;
    static std::conditional_t<last, ashlar::tensor<float, rows, columns, out>,
                              ashlar::tensor<float, out, rows, columns>>
        y;
    static rounded_line<depth> window, of_weights[out];
    unsigned seed = 7;
    for (float& e : x) e = next_number(seed);
    for (float& e : w) e = next_number(seed);
    quantize(conv.weight, w);
    for (std::size_t j = 0; j < out; ++j) of_weights[j].round([j](std::size_t k) { return w(k, j); });
    run([] { y = conv(x); });
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
            window.round([&](std::size_t k) {
                const std::size_t channel = k % in, tap = k / in,
                                  i = r * stride.first + tap / kernel.second * dilation.first - padding.first,
                                  j = c * stride.second + tap % kernel.second * dilation.second - padding.second;
                if (i >= Height || j >= Width) return 0.0f;
                if constexpr (last)
                    return x(i, j, channel);
                else
                    return x(channel, i, j);
            });
            for (std::size_t j = 0; j < out; ++j) {
                std::int32_t sum = 0;
                for (std::size_t k = 0; k < depth; ++k) sum += window.bytes[k] * of_weights[j].bytes[k];
                const float expected = static_cast<float>(sum) * of_weights[j].scale * window.scale;
                if constexpr (last)
                    wrong += y(r, c, j) != expected;
                else
                    wrong += y(j, r, c) != expected;
            }
        }
    return wrong;
}

}  // namespace support
