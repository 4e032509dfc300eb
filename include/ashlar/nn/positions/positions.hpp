// SPDX-License-Identifier: BSL-1.0
// Positional encodings that are added to embeddings: sinusoidal and learnt ones.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/nodes/viewable.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/layers/width.hpp>
#include <ashlar/nn/positions/angles.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// Whether rows fit a table: the same width, and not more rows.
template <class Given, std::size_t Positions, std::size_t Size>
struct positioned_rows {
    static consteval bool check() {
        if constexpr (Given::rank == 0)
            return false;
        else if constexpr (Given::extents[Given::rank - 1] != Size)
            return false;
        else
            return Given::rank == 1 || Given::extents[Given::rank - 2] <= Positions;
    }
    static constexpr bool fit = check();
};

/// x [..., rows, Size] plus rows of the table from `first` on; of rank 1 it is one row.
template <std::size_t Positions, std::size_t Size, class Element, any_expression Input>
ASHLAR_ALWAYS_INLINE constexpr auto plus_positions(const Element* table, Input&& x, std::size_t first) noexcept {
    using from = shape_of<Input>;
    static_assert(
        positioned_rows<from, Positions, Size>::fit,
        "ashlar: positions: the last two axes must be rows and .size, and the rows at most .positions; slice them");
    if constexpr (!positioned_rows<from, Positions, Size>::fit) {
        return ashlar::detail::refused<element_of<Input>, from>();
    } else if constexpr (from::rank == 1) {
        ASHLAR_ASSERT(first < Positions, "ashlar: positions: a position is outside the table; raise .positions");
        return std::forward<Input>(x) + tensor_view<const Element, Size>(table + first * Size);
    } else {
        constexpr std::size_t rows = from::extents[from::rank - 2];
        ASHLAR_ASSERT(first + rows <= Positions,
                      "ashlar: positions: a position is outside the table; raise .positions");
        return std::forward<Input>(x) + tensor_view<const Element, rows, Size>(table + first * Size);
    }
}

}  // namespace detail

/// The options of `sinusoidal`.
struct sinusoidal_options {
    width positions, size;                       ///< rows of the table, and their width
    pair_order pairs = pair_order::interleaved;  ///< sines at even entries and cosines at odd ones, or all sines first
    double base = 10000;                         ///< pair i turns by base^(-2 i / size) from one position to the next
};

/// The sinusoidal encoding of Vaswani et al. 2017: entries 2 i and 2 i + 1 of position p are the sine and the cosine of
/// p * base^(-2 i / size). The table is computed in double and rounded; `sinusoidal_table<Options>` is an object in
/// read-only memory, computed by the compiler (by default up to about 60,000 angles). It has no parameters.
///
///     constexpr auto& encode = nn::sinusoidal_table<{.positions = 512, .size = 64}>;
///     auto x = encode(words(tokens), first);   // adds positions first, first + 1, ... to [..., rows, 64]
template <sinusoidal_options Options, class Element = float>
struct sinusoidal {
    static constexpr sinusoidal_options options = Options;
    static constexpr std::size_t positions = Options.positions, size = Options.size;

    basic_tensor<Element, positions, size> table;

    /// The table, computed where it is called: at run time, or by the compiler for `sinusoidal_table`.
    [[nodiscard]] static constexpr sinusoidal make() noexcept {
        sinusoidal result{};
        result.fill();
        return result;
    }
    /// The same in place, for an object too large for the stack.
    template <class Config = current_config>
    constexpr void fill() noexcept {
        constexpr std::size_t pairs = (size + 1) / 2;
        const tensor<double, pairs> steps = detail::frequencies<pairs>(options.base, size);
        for (std::size_t i = 0; i < pairs; ++i) {
            constexpr bool halves = Options.pairs == pair_order::halves;
            const std::size_t at_sine = halves ? i : 2 * i, at_cosine = halves ? pairs + i : 2 * i + 1;
            detail::for_each_angle<detail::angle_restart<Element>>(
                steps(i), positions, [&](std::size_t p, double sine, double cosine) {
                    Element* const row = table.data() + p * size;
                    row[at_sine] = static_cast<Element>(sine);
                    if (at_cosine < size) row[at_cosine] = static_cast<Element>(cosine);
                });
        }
    }

    /// x plus the encoding, lazily: [..., rows, size] at positions first, first + 1, ..., or [size] at position first.
    /// first + rows is at most `positions` (asserted). The object is borrowed.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, std::size_t first = 0) const& noexcept {
        return detail::plus_positions<positions, size>(table.data(), std::forward<Input>(x), first);
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {}) const&;
    void operator()(  // ashlar: nn: an expression borrows its module, and a temporary one would dangle; name it first
        const auto&, std::size_t = 0) const&& = delete;
};

/// The table in read-only memory, computed by the compiler.
///
///     constexpr auto& encode = nn::sinusoidal_table<{.positions = 512, .size = 64}>;
///     const tensor<float, 32, 64> y = encode(x);
template <sinusoidal_options Options, class Element = float>
inline constexpr sinusoidal<Options, Element> sinusoidal_table = sinusoidal<Options, Element>::make();

/// The options of `learned_positions`: rows of the table, and their width.
struct learned_positions_options {
    width positions, size;
};

/// A learnt vector for each position, added to [..., rows, size], lazily. `weight` [positions, size], as in an
/// nn.Embedding of positions. A table in 16 bits is read as floats; with std::int8_t it stays float, as it has no
/// scales. positions * size parameters.
///
///     nn::learned_positions<{.positions = 512, .size = 64}> places{};
///     auto x = places(words(tokens));
template <learned_positions_options Options, class Element = float, class Weight = Element>
struct learned_positions {
    static constexpr learned_positions_options options = Options;
    static constexpr auto initialization = detail::initialization::table;
    static constexpr std::size_t positions = Options.positions, size = Options.size;

    basic_tensor<detail::table_element<Weight>, positions, size> weight;

    /// x plus the vectors of positions first, first + 1, ...; [size] is one row at position first. first + rows is at
    /// most `positions` (asserted). The module is borrowed.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, std::size_t first = 0) const& noexcept {
        return detail::plus_positions<positions, size>(weight.data(), std::forward<Input>(x), first);
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {}) const&;
    void operator()(  // ashlar: nn: an expression borrows its module, and a temporary one would dangle; name it first
        const auto&, std::size_t = 0) const&& = delete;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("weight", self.weight);
    }
};

}  // namespace ashlar::nn
