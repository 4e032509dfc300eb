// SPDX-License-Identifier: BSL-1.0
// What all streams share: the layer that they borrow, and the calls with a block.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/elementwise/functions.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/shape/slice.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/stream/layer_stream.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::nn::detail {

/// Evaluates the first `rows` of x into memory for all of them.
template <class Config, class Element, any_expression Rows>
constexpr void write_stream_rows(Element* memory, const Rows& x, std::size_t rows) noexcept {
    if constexpr (ashlar::detail::is_narrow<element_of<Rows>> && !ashlar::detail::is_narrow<Element>) {
        write_stream_rows<Config>(memory, cast<Element>(x), rows);
    } else {
        ashlar::detail::dense_view<Element, shape_of<Rows>> to(memory);
        if (rows == shape_of<Rows>::extents[0])
            evaluate<decltype((to)), Rows, Config>(to, x);
        else if (rows != 0)
            evaluate<decltype((to)), Rows, ashlar::detail::rows_below_count, Config>(to, x, rows_below(rows));
    }
}

/// The layer and the calls of a stream. Derived has `take<Config>(x, rows)`, which takes the first rows of a block
/// [rows, channels] into the state, sets `count`, and gives the results as an expression or a view. If it keeps pace,
/// each row has a result.
template <class Derived, class Layer, class Element, std::size_t Channels, std::size_t Capacity, bool ChannelsLast,
          bool KeepsPace>
struct stream_base {
    static_assert(stream_capacity<1, Capacity>::suffices, "ashlar: nn: stream: the capacity must not be 0");
    using layer_type = Layer;
    using value_type = Element;
    static constexpr std::size_t capacity = Capacity;

    constexpr stream_base() noexcept = default;
    explicit constexpr stream_base(const Layer& l) noexcept : layer(&l) {}
    /// Reports a temporary layer.
    template <class Temporary>
        requires std::is_same_v<Temporary, Layer>
    explicit constexpr stream_base(Temporary&& l) noexcept : layer(&named(l)) {}

    /// Borrows this layer from now on and forgets all input. For a stream without a layer, `stream<...> s;`, which lies
    /// in zeroed memory if it is static.
    constexpr void attach(const Layer& l) noexcept {
        layer = &l;
        static_cast<Derived&>(*this).reset();
    }
    template <class Temporary>
        requires std::is_same_v<Temporary, Layer>
    constexpr void attach(Temporary&& l) noexcept {
        attach(named(l));
    }

    /// The rows of the last result that count.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t ready() const noexcept { return count; }

    /// Takes a block into the state, or with `rows_below(n)` its first n rows. The results that a block of its length
    /// can have, of which the first `ready()` count: lazily, or as a view. Valid until the next call. x must not read
    /// the state of this stream.
    ///
    ///     auto y = s(x, rows_below(48));
    template <any_expression Input, stream_limit... Limit, class Config = current_config>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Input& x, Limit... limit) noexcept {
        static_assert(stream_block<shape_of<Input>, Channels, ChannelsLast>::fits,
                      "ashlar: nn: stream: a block must be [rows, channels] with the channels of the layer, and "
                      "[channels, rows] where the layer has its channels first; transpose it or change one");
        static_assert(stream_capacity<block<Input>::rows, Capacity>::suffices,
                      "ashlar: nn: stream: a block must not have more rows than the capacity of the stream; raise "
                      "the capacity, or cut the signal into blocks");
        if constexpr (block<Input>::fits)
            return stream_layout<ChannelsLast>(results<Config>(x, rows_that_count<block<Input>::rows>(limit...)));
        else
            return ashlar::detail::refused<Element, shape_of<Input>>();
    }

    /// Takes a block, or with `rows_below(n)` its first n rows, and writes the results to y, which has the shape of
    /// `s(x)`. Returns how many rows of y count; others are unspecified.
    ///
    ///     std::size_t rows = s.process(y, x);
    template <class Output, any_expression Input, stream_limit... Limit, class Config = current_config>
        requires array_expression<Output>
    constexpr std::size_t process(Output&& y, const Input& x, Limit... limit) noexcept {
        static_assert(stream_block<shape_of<Input>, Channels, ChannelsLast>::fits,
                      "ashlar: nn: stream: a block must be [rows, channels] with the channels of the layer, and "
                      "[channels, rows] where the layer has its channels first; transpose it or change one");
        static_assert(stream_capacity<block<Input>::rows, Capacity>::suffices,
                      "ashlar: nn: stream: a block must not have more rows than the capacity of the stream; raise "
                      "the capacity, or cut the signal into blocks");
        if constexpr (block<Input>::fits)
            write_results<Config, KeepsPace && sizeof...(Limit) == 0>(
                y, results<Config>(x, rows_that_count<block<Input>::rows>(limit...)));
        return count;
    }

protected:
    template <class Input>
    using block = streamed_block<shape_of<Input>, Channels, ChannelsLast, Capacity>;
    /// f(rows, how many) for the entries of a signal from `first` on, in blocks of at most Capacity.
    template <std::size_t Rows, any_expression Signal, class Function>
    static constexpr void each_block(const Signal& x, const Function& f) noexcept {
        constexpr std::size_t rest = Rows % Capacity;
        std::size_t at = shape_of<Signal>::extents[0] - Rows;
        for (std::size_t i = 0; i < Rows / Capacity; ++i, at += Capacity)
            f(ashlar::detail::slice_from<0, Capacity, 1>(x, static_cast<std::ptrdiff_t>(at)));
        if constexpr (rest != 0) f(ashlar::detail::slice_from<0, rest, 1>(x, static_cast<std::ptrdiff_t>(at)));
    }

    const Layer* layer = nullptr;
    std::size_t count = 0;

private:
    template <class Config, any_expression Input>
    ASHLAR_ALWAYS_INLINE constexpr auto results(const Input& x, std::size_t rows) noexcept {
        ASHLAR_ASSERT(std::is_empty_v<Layer> || layer != nullptr,
                      "ashlar: nn: stream: there is no layer; construct the stream with one, or attach one");
        return static_cast<Derived&>(*this).template take<Config>(stream_layout<ChannelsLast>(x), rows);
    }
    template <class Config, bool All, class Output, any_expression Results>
    ASHLAR_ALWAYS_INLINE constexpr void write_results(Output& y, const Results& r) const noexcept {
        auto to = stream_layout<ChannelsLast>(view_of(y));
        if constexpr (All)
            evaluate<decltype((to)), Results, Config>(to, r);
        else if (count != 0)
            evaluate<decltype((to)), Results, ashlar::detail::rows_below_count, Config>(to, r, rows_below(count));
    }
};

}  // namespace ashlar::nn::detail
