// SPDX-License-Identifier: BSL-1.0
// Some rows of a packed matrix as the right operand of a product, in place.
#pragma once

#include <cstddef>

#include <ashlar/expr/nodes/packed.hpp>

namespace ashlar::inline v0_1::detail {

/// Rows [First, First + Rows) of a packed matrix with `Stored` rows. `data()` is the beginning of the whole matrix.
template <class Element, std::size_t Panel, auto Rows, auto Columns, std::size_t Stored, std::size_t First>
struct packed_slice : packed_access<packed_slice<Element, Panel, Rows, Columns, Stored, First>, Element, Panel, Rows,
                                    Columns, Stored, First> {
    const Element* elements;

    ASHLAR_ALWAYS_INLINE constexpr explicit packed_slice(const Element* e) : elements(e) {}
    ASHLAR_ALWAYS_INLINE constexpr const Element* data() const { return elements; }
};

/// `Rows` rows of a packed matrix from `First` on, which it borrows.
template <std::size_t First, std::size_t Rows, class Element, std::size_t Panel, auto Stored, auto Columns>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto slice_of_packed(
    const basic_packed<Element, Panel, Stored, Columns>& matrix) noexcept {
    return packed_slice<Element, Panel, Rows, Columns, shape<Stored, Columns>::extents[0], First>(matrix.data());
}

}  // namespace ashlar::detail
