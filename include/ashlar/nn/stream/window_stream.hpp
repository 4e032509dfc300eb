// SPDX-License-Identifier: BSL-1.0
// What the streams of layers with windows share: their memory, and which windows a block completes.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/elementwise/functions.hpp>
#include <ashlar/expr/shape/slice.hpp>
#include <ashlar/nn/stream/stream.hpp>
#include <ashlar/nn/stream/stream_memory.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::nn::detail {

/// The windows of a stream: rows from the first to the last of a window, rows from a window to the next, rows that
/// count as before the first input, and whether the rows of a window must be contiguous.
struct streamed_windows {
    std::size_t reach = 1, stride = 1, before = 0;
    bool contiguous = false;

    constexpr std::size_t history() const { return reach - 1; }
    /// The first inputs that complete no window.
    constexpr std::size_t delay() const { return reach - 1 - before; }
    /// The most windows that a block completes.
    constexpr std::size_t most(std::size_t rows) const { return (rows - 1) / stride + 1; }
    /// Rows from the first to the last that windows of a block read of one tap.
    constexpr std::size_t span(std::size_t rows) const { return (most(rows) - 1) * stride + 1; }
    /// Whether each row completes a window, from the first one on.
    constexpr bool keep_pace() const { return stride == 1 && delay() == 0; }
};

/// The state of a layer with windows, and its calls. Derived has the layer, and `windows_of<Rows>(first)`: the
/// expression of the windows of a block of so many rows, whose first one begins at row `first` of the memory.
template <class Derived, class Layer, class Element, std::size_t Channels, std::size_t Results, std::size_t Capacity,
          bool ChannelsLast, streamed_windows Windows>
struct window_stream {
    static_assert(Capacity != 0, "ashlar: nn: stream: the capacity must not be 0");
    using layer_type = Layer;
    using value_type = Element;
    static constexpr std::size_t capacity = Capacity;
    /// The first inputs of a stream that give no result.
    static constexpr std::size_t delay = Windows.delay();
    static constexpr std::size_t most_rows = Windows.most(Capacity);

    constexpr window_stream() noexcept {
        if constexpr (Derived::before() != 0) memory.fill(Derived::before());
    }
    explicit constexpr window_stream(const Layer& l) noexcept : layer(&l) { reset(); }
    explicit window_stream(const Layer&&) = delete;  // ashlar: nn: stream: a stream borrows its layer; name it first

    /// Takes this layer's weights from now on, and forgets all input. For a stream without a layer, `stream<...> s;`,
    /// which is in zeroed memory if static.
    constexpr void attach(const Layer& l) noexcept {
        layer = &l;
        reset();
    }
    void attach(const Layer&&) = delete;  // ashlar: nn: stream: a stream borrows its layer; name it first

    /// Forgets all input.
    constexpr void reset() noexcept {
        memory.fill(Derived::before());
        moved = offset = count = 0;
    }
    /// The rows of the last result that count.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t ready() const noexcept { return count; }

    /// Takes all rows of a block into the state. Lazily the results of all windows that a block of its length can
    /// complete; the first `ready()` of them count. Valid until the next call.
    template <any_expression Input, class Config = current_config>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Input& x) noexcept {
        return stream_layout<ChannelsLast>(pushed<Config>(x, rows_of<Input>()));
    }
    /// The same of the first rows of a block.
    template <any_expression Input, class Config = current_config>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Input& x,
                                                                 ashlar::detail::rows_below_count rows) noexcept {
        return stream_layout<ChannelsLast>(pushed<Config>(x, stream_rows_below<rows_of<Input>()>(rows)));
    }
    /// Takes a block and writes the results that count to y, which has the shape of `s(x)`. Returns their number.
    template <class Output, any_expression Input, class Config = current_config>
        requires array_expression<Output>
    constexpr std::size_t process(Output&& y, const Input& x) noexcept {
        const auto results = pushed<Config>(x, rows_of<Input>());
        auto&& to = stream_layout<ChannelsLast>(view_of(y));
        if constexpr (Windows.keep_pace())
            evaluate<decltype(to), std::remove_cvref_t<decltype(results)>, Config>(to, results);
        else
            write_ready<Config>(to, results);
        return count;
    }
    template <class Output, any_expression Input, class Config = current_config>
        requires array_expression<Output>
    constexpr std::size_t process(Output&& y, const Input& x, ashlar::detail::rows_below_count rows) noexcept {
        const auto results = pushed<Config>(x, stream_rows_below<rows_of<Input>()>(rows));
        auto&& to = stream_layout<ChannelsLast>(view_of(y));
        write_ready<Config>(to, results);
        return count;
    }

    /// Takes a signal of any length into the state without computing results. Only the rows that are remembered are
    /// read.
    template <any_expression Input, class Config = current_config>
    constexpr void prefill(const Input& x) noexcept {
        static_assert(stream_block<shape_of<Input>, Channels, ChannelsLast>::fits,
                      "ashlar: nn: stream: a block must be [rows, channels] with the channels of the layer, and "
                      "[channels, rows] where the layer has its channels first; transpose it or change one");
        if constexpr (stream_block<shape_of<Input>, Channels, ChannelsLast>::fits) {
            constexpr std::size_t all = rows_of<Input>(),
                                  kept = all < Windows.history() ? all : Windows.history(),
                                  rest = kept % Capacity;
            const auto rows = stream_layout<ChannelsLast>(x);
            std::size_t at = all - kept;
            for (; at + Capacity <= all; at += Capacity)
                take<Config>(ashlar::detail::slice_from<0, Capacity, 1>(rows, static_cast<std::ptrdiff_t>(at)), Capacity);
            if constexpr (rest != 0)
                take<Config>(ashlar::detail::slice_from<0, rest, 1>(rows, static_cast<std::ptrdiff_t>(at)), rest);
            advance(all);
        }
    }

    /// The block of the last call, [Rows, channels], as a view of the state.
    template <std::size_t Rows>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto block() const noexcept {
        static_assert(stream_capacity<Rows, Capacity>::suffices,
                      "ashlar: nn: stream: a block must not have more rows than the capacity of the stream; raise "
                      "the capacity, or cut the signal into blocks");
        return rows_from<Rows>(0);
    }

protected:
    /// Rows of the state, from one of the block on.
    template <std::size_t Rows>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto rows_from(std::ptrdiff_t i) const noexcept {
        return ashlar::detail::dense_view<const Element, shape<Rows, Channels>>(memory.row(i));
    }

    const Layer* layer = nullptr;

private:
    static constexpr std::size_t spare = [] {
        const std::size_t most = delay > Windows.stride - 1 ? delay : Windows.stride - 1;
        return most < Capacity - 1 ? most : Capacity - 1;
    }();
    static constexpr std::size_t contiguous =
        Windows.contiguous ? Windows.history() + Windows.span(Capacity) : Windows.span(Capacity);
    using memory_type = stream_memory<Element, Channels, Windows.history(), Capacity, spare, contiguous>;

    template <class Input>
    static consteval std::size_t rows_of() {
        if constexpr (shape_of<Input>::rank == 2)
            return shape_of<Input>::extents[ChannelsLast ? 0 : 1];
        else
            return 1;
    }

    template <class Config, any_expression Input>
    ASHLAR_ALWAYS_INLINE constexpr auto pushed(const Input& x, std::size_t rows) noexcept {
        if constexpr (check_stream_block<shape_of<Input>, Channels, ChannelsLast, Capacity>()) {
            ASHLAR_ASSERT(std::is_empty_v<Layer> || layer != nullptr, "ashlar: nn: stream: no layer; construct the stream with one, or attach it");
            take<Config>(stream_layout<ChannelsLast>(x), rows);
            advance(rows);
            return static_cast<const Derived&>(*this).template windows_of<rows_of<Input>()>(
                static_cast<std::ptrdiff_t>(offset) - static_cast<std::ptrdiff_t>(Windows.history()));
        } else {
            return ashlar::detail::refused<Element, shape<Windows.most(rows_of<Input>()), Results>>();
        }
    }
    template <class Config, class To, class Values>
    constexpr void write_ready(To& to, const Values& results) const noexcept {
        if (count != 0)
            evaluate<To&, Values, ashlar::detail::rows_below_count, Config>(to, results, rows_below(count));
    }
    /// Writes the first rows of a block into memory.
    template <class Config, any_expression Rows>
    constexpr void take(const Rows& x, std::size_t rows) noexcept {
        constexpr std::size_t all = shape_of<Rows>::extents[0];
        using target = ashlar::detail::dense_view<Element, shape<all, Channels>>;
        Element* const to = memory.begin(rows);
        if (rows != 0) {
            target block(to);
            if (rows == all)
                write<Config>(block, x);
            else
                write<Config>(block, x, rows_below(rows));
        }
        memory.end();
    }
    template <class Config, class To, class Rows, class... Limit>
    static constexpr void write(To& to, const Rows& x, const Limit&... limit) noexcept {
        if constexpr (ashlar::detail::is_narrow<element_of<Rows>> && !ashlar::detail::is_narrow<Element>) {
            const auto wide = cast<Element>(x);
            evaluate<To&, std::remove_cv_t<decltype(wide)>, Limit..., Config>(to, wide, limit...);
        } else {
            evaluate<To&, Rows, Limit..., Config>(to, x, limit...);
        }
    }
    /// Counts the windows that so many rows complete.
    constexpr void advance(std::size_t rows) noexcept {
        const std::size_t waiting = delay - moved;
        count = rows > waiting ? (rows - 1 - waiting) / Windows.stride + 1 : 0;
        offset = count == 0 ? 0 : waiting;
        moved += rows - count * Windows.stride;
    }

    memory_type memory{};
    /// How much less than `delay` the rows before the last one of the next window are, modulo 2^64; the row of the block
    /// that completes its first window; the windows of the block. All are 0 at first, as a static stream without a layer
    /// then lies in zeroed memory.
    std::size_t moved = 0, offset = 0, count = 0;
};

}  // namespace ashlar::nn::detail
