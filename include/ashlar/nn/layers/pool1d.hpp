// SPDX-License-Identifier: BSL-1.0
// max_pool1d and avg_pool1d: pools as modules, which know their channels.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/reductions/pool.hpp>
#include <ashlar/nn/layers/convolution.hpp>
#include <ashlar/nn/layers/width.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `max_pool1d`, those of PyTorch's nn.MaxPool1d, and the channels; a stride of 0 is the kernel. With
/// `channels_last` inputs are [..., time, channels].
struct max_pool1d_options {
    width channels, kernel;
    width stride = 0, padding = 0, dilation = 1;
    bool channels_last = false;
};
/// The options of `avg_pool1d`, those of PyTorch's nn.AvgPool1d, and the channels; a stride of 0 is the kernel. With
/// `channels_last` inputs are [..., time, channels].
struct avg_pool1d_options {
    width channels, kernel;
    width stride = 0, padding = 0;
    bool count_include_pad = true;
    bool channels_last = false;
};

namespace detail {

/// A pool along time. Pool calls the function with the same options.
template <auto Options, class Pool>
struct pool1d {
    static constexpr auto options = Options;
    static constexpr std::size_t channels = options.channels, kernel = options.kernel,
                                 stride = given_or(options.stride, options.kernel), padding = options.padding;
    using pool = Pool;

    /// The expression: [..., channels, T] to [..., channels, windows], or with `channels_last` [..., windows,
    /// channels].
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const noexcept {
        static_assert(convolution_input<shape_of<Input>, 1, channels, options.channels_last>::fits,
                      "ashlar: nn: the input of a pool must be [..., channels, time] with as many channels as the "
                      "options say, with .channels_last [..., time, channels]; transpose it or change one");
        if constexpr (convolution_input<shape_of<Input>, 1, channels, options.channels_last>::fits)
            return Pool::template call<padding, options.channels_last>(std::forward<Input>(x));
        else
            return ashlar::detail::refused<element_of<Input>, shape_of<Input>>();
    }

    template <class Self, class Visitor>
    static constexpr void members(Self&, Visitor&&) {}
};

template <max_pool1d_options Options>
struct max_pool_call {
    static constexpr max_pool1d_options options = Options;
    static constexpr std::size_t reach = (options.kernel - 1) * options.dilation + 1;
    static constexpr bool counts_padding = true;
    template <std::size_t Padding, bool ChannelsLast, any_expression Input>
    ASHLAR_ALWAYS_INLINE static constexpr auto call(Input&& x) noexcept {
        return max_pool<{.kernel = options.kernel.value,
                         .stride = options.stride.value,
                         .padding = Padding,
                         .dilation = options.dilation.value,
                         .channels_last = ChannelsLast}>(std::forward<Input>(x));
    }
};
template <avg_pool1d_options Options>
struct avg_pool_call {
    static constexpr avg_pool1d_options options = Options;
    static constexpr std::size_t reach = options.kernel;
    static constexpr bool counts_padding = options.count_include_pad;
    template <std::size_t Padding, bool ChannelsLast, any_expression Input>
    ASHLAR_ALWAYS_INLINE static constexpr auto call(Input&& x) noexcept {
        return avg_pool<{.kernel = options.kernel.value,
                         .stride = options.stride.value,
                         .padding = Padding,
                         .count_include_pad = options.count_include_pad,
                         .channels_last = ChannelsLast}>(std::forward<Input>(x));
    }
};

}  // namespace detail

/// The greatest entry of each window along time: `max_pool` as a module without parameters, lazily.
///
///     nn::max_pool1d<{.channels = 16, .kernel = 2}> halved;
///     tensor<float, 16, 32> y = halved(x);   // x: tensor<float, 16, 64>
template <max_pool1d_options Options>
struct max_pool1d : detail::pool1d<Options, detail::max_pool_call<Options>> {};

/// The mean of each window along time: `avg_pool` as a module without parameters, lazily.
///
///     nn::avg_pool1d<{.channels = 16, .kernel = 4, .stride = 2}> smoothed;
///     tensor<float, 16, 31> y = smoothed(x);   // x: tensor<float, 16, 64>
template <avg_pool1d_options Options>
struct avg_pool1d : detail::pool1d<Options, detail::avg_pool_call<Options>> {};

}  // namespace ashlar::nn
