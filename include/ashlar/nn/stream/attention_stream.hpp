// SPDX-License-Identifier: BSL-1.0
// stream of multihead_attention: self attention over a window of the latest rows.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/nn/cache/cached_keys.hpp>
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/layers/heads.hpp>
#include <ashlar/nn/layers/multihead_attention.hpp>
#include <ashlar/nn/layers/recurrent.hpp>
#include <ashlar/nn/stream/layer_stream.hpp>
#include <ashlar/nn/stream/stream_base.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// Whether an attention of rows to themselves can have its keys in a ring.
template <class Layer>
struct streamed_attention {
    static constexpr bool is_possible =
        !Layer::has_relative_positions && Layer::kdim == Layer::embed && Layer::vdim == Layer::embed;
};

/// The state of an attention: keys and values of the window and of a block, and the block itself.
template <class Layer, class Element, std::size_t Capacity, std::size_t Window>
struct attention_stream : stream_base<attention_stream<Layer, Element, Capacity, Window>, Layer, Element, Layer::embed,
                                      Capacity, true, true> {
private:
    using base = stream_base<attention_stream, Layer, Element, Layer::embed, Capacity, true, true>;
    friend base;
    static_assert(streamed_attention<Layer>::is_possible,
                  "ashlar: nn: stream: a stream of attention needs keys and values of width embed, and no relative "
                  "positions; use .rope or none");
    static_assert(stream_capacity<1, Window>::suffices, "ashlar: nn: stream: the window must not be 0");

    /// The rows that the first query of a block sees, and those of the block after it.
    static constexpr std::size_t cache_rows = Window + Capacity - 1;
    using cache_type =
        basic_kv_cache<Element, cache_rows, Layer::kv_heads, Layer::head_width, Layer::head_width, cache_order::ring>;

public:
    using base::base;
    static constexpr std::size_t delay = 0, window = Window;

    /// Forgets all rows.
    constexpr void reset() noexcept {
        cache.clear();
        this->count = 0;
    }
    /// Takes a signal of any length into the state without computing results.
    template <any_expression Input, class Config = current_config>
    constexpr void prefill(const Input& x) noexcept {
        static_assert(stream_block<shape_of<Input>, Layer::embed, true>::fits,
                      "ashlar: nn: stream: a block must be [rows, channels] with the channels of the layer, and "
                      "[channels, rows] where the layer has its channels first; transpose it or change one");
        if constexpr (stream_block<shape_of<Input>, Layer::embed, true>::fits) {
            base::template each_block<shape_of<Input>::extents[0]>(
                x, [&]<class Rows>(const Rows& rows) { remember<Config>(rows, shape_of<Rows>::extents[0]); });
            this->count = 0;
        }
    }

private:
    template <class Config, any_expression Rows>
    constexpr void remember(const Rows& x, std::size_t rows) noexcept {
        constexpr std::size_t all = shape_of<Rows>::extents[0];
        write_stream_rows<Config>(block.data(), x, rows);
        const ashlar::detail::dense_view<const Element, shape<all, Layer::embed>> taken(block.data());
        const auto keys = this->layer->keys(taken, cache.position());
        const auto values = this->layer->values(taken);
        cache.template prefill<decltype(keys), decltype(values), Config>(keys, values, rows);
        this->count = rows;
    }
    template <class Config, any_expression Rows>
    constexpr auto take(const Rows& x, std::size_t rows) noexcept {
        constexpr std::size_t all = shape_of<Rows>::extents[0];
        remember<Config>(x, rows);
        const std::size_t first = cache.position() - rows;
        const ashlar::detail::dense_view<const Element, shape<all, Layer::embed>> taken(block.data());
        return this->layer->out_proj(
            merge_heads(ashlar::attention(this->layer->queries(taken, first), cache.keys(), cache.values(),
                                          cached_keys_mask<cache_rows>(cache.position(), first, Window))));
    }

    cache_type cache;
    basic_tensor<Element, Capacity, Layer::embed> block{};
};

}  // namespace detail

/// Self attention of rows that come in blocks, [rows, embed] to [rows, out]: each row sees the Window rows up to its
/// own, `mha(x, causal && sliding_window<Window - 1, 0>)` of the whole. Keys and values are in a `kv_cache` that is a
/// ring. A layer with `.rope` has a position for each row, so that a stream ends with its table (asserted).
///
///     static nn::multihead_attention<{.embed = 64, .heads = 4}> mha{};
///     static nn::stream<decltype(mha), 16, 128> s{mha};
///     tensor<float, 16, 64> y = s(x);   // x: tensor<float, 16, 64>
template <attention_options Options, class Element, class Weight, std::size_t Panel, auto Capacity, auto Window>
struct stream<multihead_attention<Options, Element, Weight, Panel>, Capacity, Window>
    : detail::attention_stream<multihead_attention<Options, Element, Weight, Panel>, detail::recurrent_value<Element>,
                               ashlar::detail::extent_of(Capacity), ashlar::detail::extent_of(Window)> {
    using state_type =
        detail::attention_stream<multihead_attention<Options, Element, Weight, Panel>, detail::recurrent_value<Element>,
                                 ashlar::detail::extent_of(Capacity), ashlar::detail::extent_of(Window)>;
    /// Bytes of the state: the ring of keys and values, a block, and a few numbers.
    static constexpr std::size_t state_bytes = sizeof(state_type);
    using state_type::state_type;
};

}  // namespace ashlar::nn
