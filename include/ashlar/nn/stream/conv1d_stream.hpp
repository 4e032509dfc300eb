// SPDX-License-Identifier: BSL-1.0
// stream of conv1d: a convolution that gets its signal block by block.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/nn/layers/conv1d.hpp>
#include <ashlar/nn/layers/convolution.hpp>
#include <ashlar/nn/layers/padding_mode.hpp>
#include <ashlar/nn/layers/recurrent.hpp>
#include <ashlar/nn/stream/layer_stream.hpp>
#include <ashlar/nn/stream/window_stream.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// Whether the padding of a convolution is zeros, at most what its kernel reaches back, and none if the stream is
/// causal.
template <std::size_t Padding, std::size_t History, bool Causal, padding_mode Mode>
struct stream_padding {
    static constexpr bool is_possible = Padding == 0 || (!Causal && Padding <= History && Mode == padding_mode::zeros);
};

/// Taps from First on of rows that lie at a distance of their own, side by side.
template <convolved_channels Channels, convolved_axis Along, std::size_t First, class Taps>
ASHLAR_ALWAYS_INLINE constexpr auto taps_side_by_side(const Taps& tap) noexcept {
    constexpr std::size_t last =
        First + most_taps_of_a_join < Along.kernel ? First + most_taps_of_a_join : Along.kernel;
    auto some = [&]<std::size_t... Tap>(std::index_sequence<Tap...>) ASHLAR_LAMBDA_INLINE {
        return side_by_side(
            groups_first<Channels.groups, 1>(tap(std::integral_constant<std::size_t, First + Tap>{}))...);
    }(std::make_index_sequence<last - First>{});
    if constexpr (last == Along.kernel)
        return some;
    else
        return concat<-1>(std::move(some), taps_side_by_side<Channels, Along, last>(tap));
}

template <class Layer, stream_start... Start>
struct conv1d_geometry {
    static constexpr auto options = Layer::options;
    static constexpr convolved_axis along{options.kernel, options.stride, 0, options.dilation};
    static constexpr convolved_channels channels{options.in, options.out, options.groups};
    /// Contiguous taps are rows of the product, read in place.
    static constexpr bool in_place = channels.groups == 1 && (along.kernel == 1 || along.dilation == 1);
    static constexpr bool is_causal =
        sizeof...(Start) == 0 ? options.padding == 0u : (... && (Start == stream_start::causal));
    static constexpr std::size_t history = along.reach() - 1, padding = options.padding;
    static constexpr streamed_windows windows{along.reach(), along.stride,
                                              is_causal || padding > history ? history : padding, in_place};
};

/// The state of a convolution: the rows before a block. It has floats for elements of 16 bits, which it holds exactly.
template <class Layer, class Element, std::size_t Capacity, stream_start... Start>
struct conv1d_stream
    : window_stream<conv1d_stream<Layer, Element, Capacity, Start...>, Layer, Element, Layer::in, Capacity,
                    Layer::options.channels_last, conv1d_geometry<Layer, Start...>::windows> {
private:
    using geometry = conv1d_geometry<Layer, Start...>;
    static constexpr convolved_axis along = geometry::along;
    static constexpr convolved_channels channels = geometry::channels;
    static constexpr streamed_windows windows = geometry::windows;
    using base =
        window_stream<conv1d_stream, Layer, Element, Layer::in, Capacity, Layer::options.channels_last, windows>;
    friend base;
    static_assert(
        stream_padding<geometry::padding, geometry::history, geometry::is_causal,
                       Layer::options.padding_mode>::is_possible,
        "ashlar: nn: stream: the padding of a convolution must be zeros and not exceed (kernel - 1) * dilation, "
        "and a causal stream has none; change .padding, or write stream_start::whole");

    static constexpr Element before() { return 0; }
    template <std::size_t Rows>
    ASHLAR_ALWAYS_INLINE constexpr auto windows_of(std::ptrdiff_t first) const noexcept {
        if constexpr (Layer::options.bias)
            return sums<Rows>(first) + this->layer->bias;
        else
            return sums<Rows>(first);
    }
    template <std::size_t Rows>
    ASHLAR_ALWAYS_INLINE constexpr auto sums(std::ptrdiff_t first) const noexcept {
        if constexpr (geometry::in_place) {
            return matmul(taps_of<along, 1, 1>(this->template rows_from<windows.history() + windows.span(Rows)>(first)),
                          this->layer->weight);
        } else {
            const auto tap = [this, first](auto number) ASHLAR_LAMBDA_INLINE {
                return ashlar::detail::slice_from<0, windows.most(Rows), static_cast<std::ptrdiff_t>(along.stride)>(
                    this->template rows_from<windows.span(Rows)>(
                        first + static_cast<std::ptrdiff_t>(decltype(number)::value * along.dilation)),
                    0);
            };
            if constexpr (channels.is_depthwise() && channels.in == channels.out && along.kernel <= most_taps_of_a_sum)
                return sum_of_taps<along.kernel>([&](auto number) ASHLAR_LAMBDA_INLINE {
                    return tap(number) * row(this->layer->weight, decltype(number)::value);
                });
            else
                return multiplied<channels, 1>(taps_side_by_side<channels, along, 0>(tap), this->layer->weight);
        }
    }

public:
    using base::base;
};

}  // namespace detail

/// A convolution of a signal that comes in blocks, [rows, in] to [rows, out], or [in, rows] to [out, rows] unless the
/// layer is `.channels_last`. It remembers (kernel - 1) * dilation inputs.
///
/// `stream_start::causal`, which layers without padding have unless another is given: result i is that of the window
/// that ends with input i * stride, and zeros come before the first input; `layer(pad<-2, (kernel - 1) * dilation,
/// 0>(x))` of the whole signal. `stream_start::whole`, for layers with padding: `layer(x)`; the first (kernel - 1) *
/// dilation - padding inputs give no result, and `padding` rows of zeros after the last input give the last ones.
///
///     static nn::conv1d<{.in = 16, .out = 16, .kernel = 3, .dilation = 8, .channels_last = true}> conv{};
///     static nn::stream<decltype(conv), 64> s{conv};
///     tensor<float, 64, 16> y = tanh(s(x));   // x: tensor<float, 64, 16>
template <conv1d_options Options, class Element, class Weight, std::size_t Panel, auto Capacity, stream_start... Start>
struct stream<conv1d<Options, Element, Weight, Panel>, Capacity, Start...>
    : detail::conv1d_stream<conv1d<Options, Element, Weight, Panel>, detail::recurrent_value<Element>,
                            ashlar::detail::extent_of(Capacity), Start...> {
    using state_type = detail::conv1d_stream<conv1d<Options, Element, Weight, Panel>, detail::recurrent_value<Element>,
                                             ashlar::detail::extent_of(Capacity), Start...>;
    static_assert(sizeof...(Start) <= 1, "ashlar: nn: stream: a convolution takes a capacity and one stream_start");
    /// Bytes of the state: the rows that are remembered, a block, and a few numbers.
    static constexpr std::size_t state_bytes = sizeof(state_type);
    using state_type::state_type;
};

}  // namespace ashlar::nn
