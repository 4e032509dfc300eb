// SPDX-License-Identifier: BSL-1.0
// stream of max_pool1d and avg_pool1d: pools of a signal that comes block by block.
#pragma once

#include <cstddef>
#include <limits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/nn/layers/pool1d.hpp>
#include <ashlar/nn/stream/layer_stream.hpp>
#include <ashlar/nn/stream/window_stream.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// Whether all windows count the same entries, and none begins with more padding than it reaches back.
template <std::size_t Padding, std::size_t History, bool CountsPadding>
struct streamed_pool {
    static constexpr bool is_possible = Padding <= History && (Padding == 0 || CountsPadding);
};

/// The rows before the first input: what the padding of a pool is.
template <class Layer>
inline constexpr float before_pool = 0;
template <max_pool1d_options Options>
    requires(max_pool1d<Options>::padding != 0)
inline constexpr float before_pool<max_pool1d<Options>> = -std::numeric_limits<float>::infinity();

/// The state of a pool: the rows of unfinished windows.
template <class Layer, std::size_t Capacity>
struct pool_stream
    : window_stream<pool_stream<Layer, Capacity>, Layer, float, Layer::channels, Capacity, Layer::options.channels_last,
                    streamed_windows{Layer::pool::reach, Layer::stride, Layer::padding, true}> {
private:
    static constexpr streamed_windows windows{Layer::pool::reach, Layer::stride, Layer::padding, true};
    using base =
        window_stream<pool_stream, Layer, float, Layer::channels, Capacity, Layer::options.channels_last, windows>;
    friend base;
    static_assert(
        streamed_pool<Layer::padding, windows.history(), Layer::pool::counts_padding>::is_possible,
        "ashlar: nn: stream: the padding of a pool must not exceed its kernel, and an avg_pool1d with padding "
        "must have .count_include_pad; change the options");

    static constexpr float before() { return before_pool<Layer>; }
    template <std::size_t Rows>
    ASHLAR_ALWAYS_INLINE constexpr auto windows_of(std::ptrdiff_t first) const noexcept {
        return Layer::pool::template call<0, true>(
            this->template rows_from<windows.history() + windows.span(Rows)>(first));
    }

public:
    using base::base;
};

}  // namespace detail

/// A pool of a signal that comes in blocks: `pool(x)` of the whole signal, [rows, channels] to [windows, channels], or
/// channels first unless the pool is `.channels_last`. A window gives its result when its last row is there, so that
/// `stride` rows give one result. It needs no layer: `nn::stream<...> s;`. Elements are floats.
///
///     using halves = nn::max_pool1d<{.channels = 16, .kernel = 2, .channels_last = true}>;
///     static nn::stream<halves, 64> s;
///     tensor<float, 32, 16> y = s(x);   // x: tensor<float, 64, 16>
template <max_pool1d_options Options, auto Capacity>
struct stream<max_pool1d<Options>, Capacity>
    : detail::pool_stream<max_pool1d<Options>, ashlar::detail::extent_of(Capacity)> {
    using state_type = detail::pool_stream<max_pool1d<Options>, ashlar::detail::extent_of(Capacity)>;
    /// Bytes of the state: the rows of unfinished windows, a block, and a few numbers.
    static constexpr std::size_t state_bytes = sizeof(state_type);
    using state_type::state_type;
};
/// The same of an `avg_pool1d`.
template <avg_pool1d_options Options, auto Capacity>
struct stream<avg_pool1d<Options>, Capacity>
    : detail::pool_stream<avg_pool1d<Options>, ashlar::detail::extent_of(Capacity)> {
    using state_type = detail::pool_stream<avg_pool1d<Options>, ashlar::detail::extent_of(Capacity)>;
    /// Bytes of the state: the rows of unfinished windows, a block, and a few numbers.
    static constexpr std::size_t state_bytes = sizeof(state_type);
    using state_type::state_type;
};

}  // namespace ashlar::nn
