// SPDX-License-Identifier: BSL-1.0
// What the streams of layers with windows share: their memory, and which windows a block completes.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/nn/stream/layer_stream.hpp>
#include <ashlar/nn/stream/stream_base.hpp>
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

/// The state of a layer with windows. Derived has `before()`, the value of rows before the first input, and
/// `windows_of<Rows>(first)`: the expression of the windows of a block of so many rows, whose first window begins at
/// row `first` of the memory.
template <class Derived, class Layer, class Element, std::size_t Channels, std::size_t Capacity, bool ChannelsLast,
          streamed_windows Windows>
struct window_stream : stream_base<window_stream<Derived, Layer, Element, Channels, Capacity, ChannelsLast, Windows>,
                                   Layer, Element, Channels, Capacity, ChannelsLast, Windows.keep_pace()> {
private:
    using base = stream_base<window_stream, Layer, Element, Channels, Capacity, ChannelsLast, Windows.keep_pace()>;
    friend base;

    static constexpr std::size_t spare = [] {
        const std::size_t most = Windows.delay() > Windows.stride - 1 ? Windows.delay() : Windows.stride - 1;
        return most < Capacity - 1 ? most : Capacity - 1;
    }();
    static constexpr std::size_t contiguous =
        Windows.contiguous ? Windows.history() + Windows.span(Capacity) : Windows.span(Capacity);
    using memory_type = stream_memory<Element, Channels, Windows.history(), Capacity, spare, contiguous>;

    memory_type memory{};
    /// How many rows more than `delay` have come since the last row of the first window: modulo a power of two, the
    /// rows until the next window's last one are `delay - moved`. All numbers begin with 0, so that a static stream
    /// without a layer lies in zeroed memory.
    std::size_t moved = 0, offset = 0;

public:
    /// The number of first inputs that give no result.
    static constexpr std::size_t delay = Windows.delay();

    constexpr window_stream() noexcept { fill_memory(); }
    explicit constexpr window_stream(const Layer& l) noexcept : base(l) { fill_memory(); }
    /// Reports a temporary layer.
    template <class Temporary>
        requires std::is_same_v<Temporary, Layer>
    explicit constexpr window_stream(Temporary&& l) noexcept : window_stream(named(l)) {}

    /// Forgets all input.
    constexpr void reset() noexcept {
        memory.fill(Derived::before());
        moved = offset = 0;
        this->count = 0;
    }
    /// Takes a signal of any length into the state without computing results. Only rows that are remembered are read.
    template <any_expression Input, class Config = current_config>
    constexpr void prefill(const Input& x) noexcept {
        static_assert(stream_block<shape_of<Input>, Channels, ChannelsLast>::fits,
                      "ashlar: nn: stream: a block must be [rows, channels] with the channels of the layer, and "
                      "[channels, rows] where the layer has its channels first; transpose it or change one");
        if constexpr (stream_block<shape_of<Input>, Channels, ChannelsLast>::fits) {
            constexpr std::size_t all = base::template block<Input>::rows;
            base::template each_block<(all < Windows.history() ? all : Windows.history())>(
                stream_layout<ChannelsLast>(x),
                [&]<class Rows>(const Rows& rows) { remember<Config>(rows, shape_of<Rows>::extents[0]); });
            advance(all);
            this->count = 0;
        }
    }
    /// The block of the last call, [Rows, channels], as a view of the state: valid until the next call.
    ///
    ///     auto z = s(x);
    ///     y = s.latest<64>() + tanh(z);
    template <std::size_t Rows>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto latest() const noexcept {
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

private:
    template <class Config, any_expression Rows>
    ASHLAR_ALWAYS_INLINE constexpr auto take(const Rows& x, std::size_t rows) noexcept {
        remember<Config>(x, rows);
        advance(rows);
        return static_cast<const Derived&>(*this).template windows_of<shape_of<Rows>::extents[0]>(
            static_cast<std::ptrdiff_t>(offset) - static_cast<std::ptrdiff_t>(Windows.history()));
    }
    /// Writes the first rows of a block into memory.
    template <class Config, any_expression Rows>
    constexpr void remember(const Rows& x, std::size_t rows) noexcept {
        write_stream_rows<Config>(memory.begin(rows), x, rows);
        memory.end();
    }
    /// Counts the windows that so many rows complete.
    constexpr void advance(std::size_t rows) noexcept {
        const std::size_t waiting = delay - moved;
        this->count = rows > waiting ? (rows - 1 - waiting) / Windows.stride + 1 : 0;
        offset = this->count == 0 ? 0 : waiting;
        moved += rows - this->count * Windows.stride;
    }
    constexpr void fill_memory() noexcept {
        if constexpr (Derived::before() != 0) memory.fill(Derived::before());
    }
};

}  // namespace ashlar::nn::detail
