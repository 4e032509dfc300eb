// SPDX-License-Identifier: BSL-1.0
// Rotary positional encoding: rotates pairs of entries of queries and keys by angles that grow with the position.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/nn/layers/width.hpp>
#include <ashlar/nn/positions/angles.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// Whether rows can be rotated: the first 2 * Pairs of Width entries, by angles of Pairs.
template <std::size_t Width, std::size_t Pairs>
struct rotated_width {
    static constexpr bool fits = Pairs > 0 && 2 * Pairs <= Width;
};

/// Whether the last axis of a shape has an extent.
template <class Shape, std::size_t Extent>
struct last_extent {
    static consteval bool check() {
        if constexpr (Shape::rank == 0)
            return false;
        else
            return Shape::extents[Shape::rank - 1] == Extent;
    }
    static constexpr bool matches = check();
};

/// Whether a table has a row for each row of x.
template <std::size_t Rows, std::size_t Positions>
struct rope_rows {
    static constexpr bool fit = Rows <= Positions;
};

/// Whether options describe a rotation.
template <std::size_t Width, std::size_t Rotated, std::size_t Positions>
struct rope_extents {
    static constexpr bool valid = Width > 0 && Positions > 0 && Rotated % 2 == 0 && Rotated <= Width;
};

/// [..., 2 n] as [..., n, 2].
template <class Shape>
using as_pairs =
    decltype(ashlar::detail::inserted_dimension<
             decltype(ashlar::detail::with_dimension<Shape, Shape::rank - 1, Shape::extents[Shape::rank - 1] / 2>()),
             Shape::rank, std::size_t{2}>());

/// The whole width rotated; x is memory or a name. Cosines and sines are [..., width / 2].
template <pair_order Pairs, class Input, class Cosines, class Sines>
ASHLAR_ALWAYS_INLINE constexpr auto rotated_pairs(const Input& x, const Cosines& cosines, const Sines& sines) noexcept {
    constexpr auto width = static_cast<std::ptrdiff_t>(shape_of<Input>::extents[shape_of<Input>::rank - 1]);
    if constexpr (Pairs == pair_order::halves) {
        const auto a = slice<-1, 0, width / 2>(x), b = slice<-1, width / 2, width>(x);
        return concat<-1>(a * cosines - b * sines, b * cosines + a * sines);
    } else {
        const auto pairs = ashlar::detail::reshape_to<as_pairs<shape_of<Input>>>(x);
        const auto a = slice<-1, 0, 1>(pairs), b = slice<-1, 1, 2>(pairs);
        const auto c = unsqueeze<-1>(cosines), s = unsqueeze<-1>(sines);
        return ashlar::detail::reshape_to<shape_of<Input>>(concat<-1>(a * c - b * s, b * c + a * s));
    }
}

/// The same with cosines and sines for every entry, with the signs in the sines: x times the cosines plus x with its
/// pairs exchanged times the sines. Faster for short rows.
template <class Input, class Cosines, class Sines>
ASHLAR_ALWAYS_INLINE constexpr auto rotated_entries(const Input& x, const Cosines& cosines,
                                                    const Sines& sines) noexcept {
    const auto pairs = ashlar::detail::reshape_to<as_pairs<shape_of<Input>>>(x);
    return x * cosines + ashlar::detail::reshape_to<shape_of<Input>>(slice<-1, -1, -3, -1>(pairs)) * sines;
}

/// f of the first Rotated columns of x, joined with the unchanged rest.
template <std::size_t Rotated, class Input, class Function>
ASHLAR_ALWAYS_INLINE constexpr auto with_remaining_entries(const Input& x, const Function& f) noexcept {
    constexpr std::size_t width = shape_of<Input>::extents[shape_of<Input>::rank - 1];
    if constexpr (Rotated == width)
        return f(x);
    else
        return concat<-1>(f(slice<-1, 0, std::ptrdiff_t{Rotated}>(x)),
                          slice<-1, std::ptrdiff_t{Rotated}, std::ptrdiff_t{width}>(x));
}

/// f(x); names x if it would be computed more than once.
template <class Input, class Function>
ASHLAR_ALWAYS_INLINE constexpr auto named(Input&& x, const Function& f) noexcept {
    if constexpr (array_expression<Input> && ashlar::detail::viewable<Input>)
        return f(view_of(x));
    else
        return let(std::forward<Input>(x), f);
}

}  // namespace detail

/// Rotates pairs of entries of x, lazily: [..., width] with cosines and sines [..., n], which broadcast; the first 2 n
/// entries of a row are rotated (a, b become a cos - b sin, b cos + a sin) and the others are unchanged. For your own
/// tables: from a weight file, or with other frequencies.
///
///     auto y = nn::rotate<nn::pair_order::halves>(x, row(cosines, t), row(sines, t));
template <pair_order Pairs, any_expression Input, any_expression Cosines, any_expression Sines>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto rotate(Input&& x, const Cosines& cosines,
                                                         const Sines& sines) noexcept {
    constexpr std::size_t width = shape_of<Input>::extents[shape_of<Input>::rank - 1];
    constexpr std::size_t pairs = shape_of<Cosines>::extents[shape_of<Cosines>::rank - 1];
    static_assert(detail::rotated_width<width, pairs>::fits,
                  "ashlar: rope: cosines and sines must have a column for each pair of entries, or fewer; slice them");
    if constexpr (!detail::rotated_width<width, pairs>::fits) {
        return ashlar::detail::refused<element_of<Input>, shape_of<Input>>();
    } else {
        const auto c = ashlar::detail::hold(cosines);
        const auto s = ashlar::detail::hold(sines);
        return detail::named(std::forward<Input>(x), [=](const auto& rows) ASHLAR_LAMBDA_INLINE {
            return detail::with_remaining_entries<2 * pairs>(
                rows, [=](const auto& part) ASHLAR_LAMBDA_INLINE { return detail::rotated_pairs<Pairs>(part, c, s); });
        });
    }
}

/// The options of `rope`.
struct rope_options {
    width head_width = 0;  ///< entries of a row, the last axis of queries and keys
    width positions = 0;   ///< rows of the tables: positions below it
    width rotated = 0;     ///< entries that are rotated, from the first on; all of them unless given
    pair_order pairs =
        pair_order::interleaved;  ///< llama.c and GPT-J interleave, GPT-NeoX and Hugging Face's Llama do not
    double base = 10000;          ///< pair i rotates by base^(-2 i / rotated) from one position to the next
    double stretch = 1;           ///< positions are divided by it (position interpolation)
};

/// Rotary positional encoding (Su et al. 2021) with its tables: entry pair i of a row at position p is rotated by the
/// angle p * base^(-2 i / rotated). Apply it to queries and keys, after the split into heads. The tables are computed
/// in double and rounded; `rope_tables<Options>` is an object in read-only memory, computed by the compiler (by default
/// up to about 60,000 angles); compute larger ones at run time. It is not a module: it has no parameters.
///
///     constexpr auto& turn = nn::rope_tables<{.head_width = 8, .positions = 512}>;
///     auto q = turn(nn::split_heads<8>(matmul(x, wq)), cache.position());   // [heads, rows, 8], at run-time positions
template <rope_options Options, class Element = float>
struct rope {
    static constexpr rope_options options = Options;
    static constexpr std::size_t head_width = Options.head_width, positions = Options.positions;
    static constexpr std::size_t rotated = detail::given_or(Options.rotated, head_width);
    static_assert(
        detail::rope_extents<head_width, rotated, positions>::valid,
        "ashlar: rope: head_width and positions must be given, and the entries to rotate be even and not more than head_width");
    static constexpr std::size_t pairs = rotated / 2;
    /// Whether the tables have an entry for each entry of a row instead of each pair, which is faster for narrow heads.
    static constexpr bool by_entry = Options.pairs == pair_order::interleaved && rotated <= 16;
    static constexpr std::size_t columns = by_entry ? rotated : pairs;

    /// [positions, pairs]; by_entry [positions, rotated], with signed sines.
    tensor<Element, positions, columns> cosines, sines;

    /// The tables. Costs a few additions and multiplications per angle.
    [[nodiscard]] static constexpr rope make() noexcept {
        rope result{};
        result.fill();
        return result;
    }
    /// The same in place, for an object too large for the stack.
    template <class Config = current_config>
    constexpr void fill() noexcept {
        const tensor<double, pairs> steps = detail::frequencies<pairs>(options.base, rotated);
        for (std::size_t i = 0; i < pairs; ++i)
            detail::for_each_angle<detail::angle_restart<Element>>(
                steps(i) / options.stretch, positions, [&](std::size_t p, double sine, double cosine) {
                    Element* const c = cosines.data() + p * columns;
                    Element* const s = sines.data() + p * columns;
                    if constexpr (by_entry) {
                        c[2 * i] = c[2 * i + 1] = static_cast<Element>(cosine);
                        s[2 * i] = static_cast<Element>(-sine);
                        s[2 * i + 1] = static_cast<Element>(sine);
                    } else {
                        c[i] = static_cast<Element>(cosine);
                        s[i] = static_cast<Element>(sine);
                    }
                });
    }
    /// The angle's cosine and sine for one pair at one position.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element cosine(std::size_t position, std::size_t pair) const noexcept {
        return cosines(position, by_entry ? 2 * pair : pair);
    }
    /// The angle's sine, likewise.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element sine(std::size_t position, std::size_t pair) const noexcept {
        return sines(position, by_entry ? 2 * pair + 1 : pair);
    }

    /// Rows [..., rows, head_width] at positions first, first + 1, ..., lazily; first + rows is at most `positions`
    /// (asserted). The object is borrowed.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, std::size_t first = 0) const& noexcept {
        using from = shape_of<Input>;
        if constexpr (!fits<from>()) {
            return ashlar::detail::refused<element_of<Input>, shape_of<Input>>();
        } else {
            constexpr std::size_t rows = from::rank < 2 ? 1 : from::extents[from::rank - 2];
            static_assert(detail::rope_rows<rows, positions>::fit,
                          "ashlar: rope: there are more rows than positions; raise .positions");
            ASHLAR_ASSERT(first + rows <= positions,
                          "ashlar: rope: a position is outside the tables; raise .positions");
            return apply(std::forward<Input>(x),
                         tensor_view<const Element, rows, columns>(cosines.data() + first * columns),
                         tensor_view<const Element, rows, columns>(sines.data() + first * columns));
        }
    }
    /// Rows [..., head_width] that all have one position, such as the heads [heads, head_width] of one token; the
    /// position must be below `positions` (asserted). Lazily, of x's shape; the object is borrowed.
    ///
    ///     cache.append(turn.at(k, cache.position()), v);   // k and v are [heads, head_width]
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto at(Input&& x, std::size_t position) const& noexcept {
        ASHLAR_ASSERT(position < positions, "ashlar: rope: a position is outside the tables; raise .positions");
        if constexpr (!fits<shape_of<Input>>())
            return ashlar::detail::refused<element_of<Input>, shape_of<Input>>();
        else
            return apply(std::forward<Input>(x),
                         tensor_view<const Element, columns>(cosines.data() + position * columns),
                         tensor_view<const Element, columns>(sines.data() + position * columns));
    }
    /// Rows with one position each: integers whose axes broadcast to those of x but the last ([rows], [batch, 1,
    /// rows]), each less than `positions`.
    ///
    ///     auto q = turn.at(heads, places);   // heads [8, rows, head_width], places tensor<int, rows>
    template <any_expression Input, any_expression Starts>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto at(Input&& x, const Starts& each) const& noexcept {
        if constexpr (!fits<shape_of<Input>>())
            return ashlar::detail::refused<element_of<Input>, shape_of<Input>>();
        else
            return apply(std::forward<Input>(x), take<0>(cosines, each), take<0>(sines, each));
    }
    void operator()(  // ashlar: nn: an expression borrows its module, and a temporary one would dangle; name it first
        const auto&, std::size_t = 0) const&& = delete;
    void at(  // ashlar: nn: an expression borrows its module, and a temporary one would dangle; name it first
        const auto&, const auto&) const&& = delete;

private:
    template <class From>
    static consteval bool fits() {
        static_assert(detail::last_extent<From, head_width>::matches,
                      "ashlar: rope: the last axis must be head_width; split the heads first, or change .head_width");
        return detail::last_extent<From, head_width>::matches;
    }
    template <class Input, class Cosines, class Sines>
    ASHLAR_ALWAYS_INLINE static constexpr auto apply(Input&& x, const Cosines& c, const Sines& s) noexcept {
        return detail::named(std::forward<Input>(x), [=](const auto& rows) ASHLAR_LAMBDA_INLINE {
            return detail::with_remaining_entries<rotated>(rows, [=](const auto& part) ASHLAR_LAMBDA_INLINE {
                if constexpr (by_entry)
                    return detail::rotated_entries(part, c, s);
                else
                    return detail::rotated_pairs<Options.pairs>(part, c, s);
            });
        });
    }
};

/// The tables in read-only memory, computed by the compiler.
///
///     constexpr auto& turn = nn::rope_tables<{.head_width = 8, .positions = 512}>;
///     auto k_at = turn.at(k, 17);
template <rope_options Options, class Element = float>
inline constexpr rope<Options, Element> rope_tables = rope<Options, Element>::make();

}  // namespace ashlar::nn
