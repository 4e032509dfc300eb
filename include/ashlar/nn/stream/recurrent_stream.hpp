// SPDX-License-Identifier: BSL-1.0
// stream of lstm, gru and rnn: recurrent layers that get their steps block by block.
#pragma once

#include <cstddef>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/nn/layers/recurrent.hpp>
#include <ashlar/nn/stream/layer_stream.hpp>
#include <ashlar/nn/stream/stream_base.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// Whether the results of a step depend on no later step.
template <std::size_t Directions>
struct streamed_direction {
    static constexpr bool is_forward = Directions == 1;
};

/// The state of a recurrent layer: h and c, and the results of the last block.
template <class Layer, std::size_t Capacity>
struct recurrent_stream : stream_base<recurrent_stream<Layer, Capacity>, Layer, typename Layer::value_type, Layer::in,
                                      Capacity, true, true> {
private:
    using base = stream_base<recurrent_stream, Layer, typename Layer::value_type, Layer::in, Capacity, true, true>;
    friend base;
    static_assert(streamed_direction<Layer::directions>::is_forward,
                  "ashlar: nn: stream: a bidirectional layer has no stream, since its second direction begins at the "
                  "last step; call it with all steps");

public:
    using base::base;
    static constexpr std::size_t delay = 0;

    /// Forgets all steps.
    constexpr void reset() noexcept {
        state.reset();
        this->count = 0;
    }
    /// Runs all steps of a signal of any length.
    template <any_expression Input, class Config = current_config>
    constexpr void prefill(const Input& x) noexcept {
        static_assert(stream_block<shape_of<Input>, Layer::in, true>::fits,
                      "ashlar: nn: stream: a block must be [rows, channels] with the channels of the layer, and "
                      "[channels, rows] where the layer has its channels first; transpose it or change one");
        if constexpr (stream_block<shape_of<Input>, Layer::in, true>::fits) {
            base::template each_block<shape_of<Input>::extents[0]>(x, [&]<class Rows>(const Rows& rows) {
                static_cast<void>(take<Config>(rows, shape_of<Rows>::extents[0]));
            });
            this->count = 0;
        }
    }

private:
    template <class Config, any_expression Rows>
    constexpr auto take(const Rows& x, std::size_t rows) noexcept {
        constexpr std::size_t all = shape_of<Rows>::extents[0];
        write_stream_rows<Config>(results.data(), (*this->layer)(x, state), rows);
        this->count = rows;
        return ashlar::detail::dense_view<const typename Layer::value_type, shape<all, Layer::out>>(results.data());
    }

    typename Layer::template state<> state{};
    basic_tensor<typename Layer::value_type, Capacity, Layer::out> results{};
};

}  // namespace detail

/// A recurrent layer (`lstm`, `gru`, `rnn`) whose steps come in blocks, [rows, in] to [rows, out]: `layer(x)` of the
/// whole sequence. It computes at the call, and the result is a view. Its `prefill` runs all steps.
///
///     static nn::lstm<{.in = 1, .hidden = 16}> listen{};
///     static nn::stream<decltype(listen), 64> s{listen};
///     tensor<float, 64, 16> y = s(x);   // x: tensor<float, 64, 1>
template <detail::any_recurrent_layer Layer, auto Capacity>
struct stream<Layer, Capacity> : detail::recurrent_stream<Layer, ashlar::detail::extent_of(Capacity)> {
    using state_type = detail::recurrent_stream<Layer, ashlar::detail::extent_of(Capacity)>;
    /// Bytes of the state: h, c of an `lstm`, the results of a block, and a few numbers.
    static constexpr std::size_t state_bytes = sizeof(state_type);
    using state_type::state_type;
};

}  // namespace ashlar::nn
