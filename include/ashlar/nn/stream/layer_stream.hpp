// SPDX-License-Identifier: BSL-1.0
// stream: a layer that gets its input block by block. The other headers of this folder specialise it for their layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/eval/rows_below.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/shape/permute.hpp>

namespace ashlar::inline v0_1::nn {

/// Where the first window of a stream begins: `causal`, as if zeros had come before the first input, so that each input
/// completes a window at once; or `whole`, as in a call of the layer with the whole signal.
///
///     nn::stream<decltype(conv), 64, nn::stream_start::whole> frames{conv};   // conv: an nn::conv1d
enum class stream_start : std::uint8_t { causal, whole };

namespace detail {

/// Whether there is a stream of a layer with these parameters: one that is specialised.
template <class Layer, auto... Parameters>
struct streamed_layer {
    static constexpr bool is_known = false;
};

/// Whether a block [rows, channels], or [channels, rows], has the channels of a layer and not too many rows.
template <class Block, std::size_t Channels, bool ChannelsLast = true>
struct stream_block {
    static consteval bool check() {
        if constexpr (Block::rank != 2)
            return false;
        else
            return Block::extents[ChannelsLast ? 1 : 0] == Channels;
    }
    static constexpr bool fits = check();
};
template <std::size_t Rows, std::size_t Capacity>
struct stream_capacity {
    static constexpr bool suffices = Rows <= Capacity;
};

/// Whether a block fits into a stream.
template <class Block, std::size_t Channels, bool ChannelsLast, std::size_t Capacity>
struct streamed_block {
    static consteval std::size_t count() {
        if constexpr (stream_block<Block, Channels, ChannelsLast>::fits)
            return Block::extents[ChannelsLast ? 0 : 1];
        else
            return 0;
    }
    static constexpr std::size_t rows = count();
    static constexpr bool fits =
        stream_block<Block, Channels, ChannelsLast>::fits && stream_capacity<rows, Capacity>::suffices;
};

/// A limit of the rows of a block.
template <class Limit>
concept stream_limit = std::is_same_v<Limit, ashlar::detail::rows_below_count>;

/// Rows of a block that count: all, or those below a limit.
template <std::size_t Rows>
ASHLAR_ALWAYS_INLINE constexpr std::size_t rows_that_count() noexcept {
    return Rows;
}
template <std::size_t Rows>
ASHLAR_ALWAYS_INLINE constexpr std::size_t rows_that_count(ashlar::detail::rows_below_count limit) noexcept {
    ASHLAR_ASSERT(limit.count <= Rows, "ashlar: nn: stream: rows_below: more rows than the block has");
    return limit.count < Rows ? limit.count : Rows;
}

/// [rows, channels] as it is, or transposed.
template <bool ChannelsLast, any_expression Input>
ASHLAR_ALWAYS_INLINE constexpr auto stream_layout(Input&& x) noexcept {
    if constexpr (ChannelsLast)
        return ashlar::detail::itself(std::forward<Input>(x));
    else
        return transpose(std::forward<Input>(x));
}

}  // namespace detail

/// A layer as a function of blocks: the numbers of a call with the whole signal, from a state of constant size. It
/// borrows the layer and owns the state, so that several streams share one layer's weights. The parameters are the
/// capacity, which is the most rows of a block, and then what the layer needs: `stream_start` of an `nn::conv1d`, the
/// window of an `nn::multihead_attention`. Nothing is allocated.
///
/// `s(x)` takes the rows of x into the state, and gives the result as an expression or a view, valid until the next
/// call; `s.ready()` is how many rows of it count. Other members: `process`, `prefill`, `reset`, `attach`,
/// `state_bytes`.
///
///     static nn::conv1d<{.in = 1, .out = 16, .kernel = 3, .dilation = 8, .channels_last = true}> conv{};
///     static nn::stream<decltype(conv), 64> s{conv};
///     tensor<float, 64, 16> y = tanh(s(x));                  // x: tensor<float, 64, 1>, the next 64 samples
///     std::size_t rows = s.process(y, x, rows_below(48));    // or only 48 of them
template <class Layer, auto... Parameters>
struct stream {
    static_assert(detail::streamed_layer<Layer, Parameters...>::is_known,
                  "ashlar: nn: stream: takes an nn::conv1d, a recurrent layer, an nn::max_pool1d or nn::avg_pool1d and "
                  "a capacity, or an nn::multihead_attention, a capacity and a window; layers that work row by row "
                  "need no state");
};

}  // namespace ashlar::nn
