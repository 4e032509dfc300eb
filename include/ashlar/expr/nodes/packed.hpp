// SPDX-License-Identifier: BSL-1.0
// A matrix in the order in which product kernels stream it: one panel of columns after another.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/tensor/panel_layout.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// The common base of packed matrices, borrowed ones, and some rows of one: those from `First` on of `Stored` rows.
template <class Derived, class Element, std::size_t Panel, auto Rows, auto Columns,
          std::size_t Stored = shape<Rows, Columns>::extents[0], std::size_t First = 0>
struct packed_access : shape<Rows, Columns> {
    using shape_type = shape<Rows, Columns>;
    using value_type = Element;
    using expression_category = node_category;
    static constexpr node_kind kind = node_kind::packed;
    static constexpr std::size_t panel = Panel;
    static constexpr bool is_quantized = false;
    static constexpr std::uint8_t spread = 1, scale_group = 0;
    static constexpr std::size_t stored_rows = Stored;

    /// Where an element is in `data()`.
    ASHLAR_ALWAYS_INLINE static constexpr std::size_t offset(std::size_t row, std::size_t column) {
        return panel_offset(Panel, Stored, shape_type::extents[1], First + row, column);
    }
    /// The same of row 0 of a panel's first column.
    ASHLAR_ALWAYS_INLINE static constexpr std::size_t panel_begin(std::size_t column) {
        const std::size_t rest = shape_type::extents[1] - column;
        return Stored * column + First * (rest < Panel ? rest : Panel);
    }
    /// The element at (row, column). Both must be in range, checked in debug builds.
    template <class Config = current_config>
    [[nodiscard]] constexpr Element operator()(std::size_t row, std::size_t column) const {
        ASHLAR_ASSERT(row < shape_type::extents[0] && column < shape_type::extents[1],
                      "ashlar: packed: index out of range");
        return static_cast<const Derived&>(*this).data()[offset(row, column)];
    }
};

/// A packed matrix of another owner, as an operand.
template <class Element, std::size_t Panel, auto Rows, auto Columns>
struct borrowed_packed : packed_access<borrowed_packed<Element, Panel, Rows, Columns>, Element, Panel, Rows, Columns> {
    const Element* elements;

    ASHLAR_ALWAYS_INLINE constexpr explicit borrowed_packed(const Element* e) : elements(e) {}
    ASHLAR_ALWAYS_INLINE constexpr const Element* data() const { return elements; }
};

}  // namespace detail

/// The default number of columns of a panel: one cache line (for f16 and bf16 half of one, with as many columns as for
/// float), on every architecture and with all flags. Kernels with narrow registers read a panel in parts, those with
/// wide ones read several panels side by side.
///
///     static_assert(default_panel<float> == 16 && default_panel<double> == 8);
template <class Element>
inline constexpr std::size_t default_panel =
    sizeof(detail::computed<Element>) < 64 ? 64 / sizeof(detail::computed<Element>) : 1;

/// Columns of a panel as wide as the register blocks of this build. The panel takes as many registers as leave room for
/// a tall block of rows, so that it is mostly read from the L1 cache. Three of 32 registers (8 x 3 accumulators), two
/// of 16 (6 x 2). It depends on the build's flags, so a type of yours with such a member differs between builds: keep
/// it inside one translation unit.
///
///     const auto w = pack<tuned_panel<float>>(weights);   // packed<float, 64, 256, tuned_panel<float>>
template <class Element, class Config = current_config>
inline constexpr std::size_t tuned_panel =
    (Config::registers >= 32 ? 3 : 2) * (Config::register_bits / 8 > sizeof(detail::computed<Element>)
                                             ? Config::register_bits / 8 / sizeof(detail::computed<Element>)
                                             : 4);

/// A matrix [rows, columns] for the right operand of `matmul`, stored in panels of columns, each [rows][columns of the
/// panel]. The layout is part of the type; sizeof is that of the plain matrix. Made by `pack`.
///
///     template <class Element, std::size_t Panel, auto Rows, auto Columns>   // deduced; `packed` is the type to write
///     inline std::size_t rows_of(const basic_packed<Element, Panel, Rows, Columns>&) { return Rows; }
template <class Element, std::size_t Panel, auto Rows, auto Columns>
struct alignas(detail::alignment_for(sizeof(Element) * shape<Rows, Columns>::size, alignof(Element))) basic_packed
    : detail::packed_access<basic_packed<Element, Panel, Rows, Columns>, Element, Panel, Rows, Columns> {
    Element elements[shape<Rows, Columns>::size];

    // With a constructor, `packed<bf16, ...>{}` has zeros. An aggregate would have an initial value for each bf16,
    // which costs clang 500 bytes of memory each.
    basic_packed() = default;

    template <any_expression Expression>
    void operator=(  // ashlar: packed: fill it by pack(w, x), from a weight [out, in] by pack(w, transpose(x))
        const Expression&) = delete;

    ASHLAR_ALWAYS_INLINE constexpr const Element* data() const& { return elements; }
    ASHLAR_ALWAYS_INLINE constexpr Element* data() & { return elements; }
    constexpr const Element* data(  // ashlar: packed: the memory of a temporary would dangle; name it first
    ) const&& = delete;
    /// A borrowed operand, not a copy.
    ASHLAR_ALWAYS_INLINE constexpr auto borrow() const& {
        return detail::borrowed_packed<Element, Panel, Rows, Columns>(elements);
    }
    void borrow() const&& = delete;  // ashlar: packed: the memory of a temporary would dangle; name it first
};

/// The packed matrix type for elements of type Element and dimensions [rows, columns]: one layout for all
/// architectures, or panels of Panel columns.
///
///     packed<float, 64, 256> w = pack(weights);
///     y = matmul(x, w);
template <class Element, auto Rows, auto Columns, std::size_t Panel = default_panel<Element>>
using packed = basic_packed<Element, Panel, detail::canonical(Rows), detail::canonical(Columns)>;

}  // namespace ashlar
