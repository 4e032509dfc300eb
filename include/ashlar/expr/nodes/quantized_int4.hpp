// SPDX-License-Identifier: BSL-1.0
// A matrix of int4, with a scale for every 32 entries of a column, in the order in which kernels stream it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/int4.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/quantized.hpp>
#include <ashlar/tensor/int4_columns.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

template <auto Rows, auto Columns>
struct quantized_matrix<int4, Rows, Columns> {
    static constexpr bool fits = true;
};

/// The common base of matrices of int4 and borrowed ones.
template <class Derived, auto Rows, auto Columns>
struct int4_access : shape<Rows, Columns> {
    using shape_type = shape<Rows, Columns>;
    using value_type = float;
    using expression_category = node_category;
    static constexpr node_kind kind = node_kind::packed;
    static constexpr std::size_t panel = int4_layout::panel;
    static constexpr bool is_quantized = true;
    static constexpr std::uint8_t spread = 1, scale_group = int4_group;
    static constexpr int4_layout layout{shape_type::extents[0], shape_type::extents[1]};

    /// The value at (row, column). Both must be in range, checked in debug builds.
    template <class Config = current_config>
    [[nodiscard]] constexpr float operator()(std::size_t row, std::size_t column) const {
        ASHLAR_ASSERT(row < shape_type::extents[0] && column < shape_type::extents[1],
                      "ashlar: quantized: index out of range");
        const auto& self = static_cast<const Derived&>(*this);
        return static_cast<float>(int4_integer(layout, self.data(), row, column)) *
               int4_scale_at(layout, self.data(), row, column);
    }
};

/// A matrix of int4 of another owner, as an operand.
template <auto Rows, auto Columns>
struct borrowed_int4 : int4_access<borrowed_int4<Rows, Columns>, Rows, Columns> {
    const basic_quantized<int4, Rows, Columns>* matrix;

    ASHLAR_ALWAYS_INLINE constexpr explicit borrowed_int4(const basic_quantized<int4, Rows, Columns>* m) : matrix(m) {}
    ASHLAR_ALWAYS_INLINE constexpr const int4_block* data() const { return matrix->blocks; }
};

}  // namespace detail

/// A matrix [rows, columns] of floats for the right operand of `matmul`, in 4 bits. Every 32 entries of a column share
/// a scale. `quantize(w, x)` fills it. When `matmul(x, w)` runs, it rounds every 32 entries of each row of x to
/// integers from -127 to 127 with their own scale; the sums of their products are exact. Outside of products it has the
/// rounded values. Rows of x and columns are handled like those of 8 bits. Depth and columns are padded to multiples
/// of 32.
///
///     static quantized<int4, 64, 256> w;
///     quantize(w, weights);
///     y = matmul(x, w) + bias;
template <auto Rows, auto Columns>
    requires(detail::quantized_matrix<int4, Rows, Columns>::fits)
struct alignas(64) basic_quantized<int4, Rows, Columns>
    : detail::int4_access<basic_quantized<int4, Rows, Columns>, Rows, Columns> {
    using detail::int4_access<basic_quantized<int4, Rows, Columns>, Rows, Columns>::layout;

    detail::int4_block blocks[layout.size()];

    ASHLAR_ALWAYS_INLINE constexpr const detail::int4_block* data() const& { return blocks; }
    constexpr auto data(  // ashlar: quantized: the memory of a temporary would dangle; name it first
    ) const&& = delete;
    /// A borrowed operand, not a copy.
    ASHLAR_ALWAYS_INLINE constexpr auto borrow() const& { return detail::borrowed_int4<Rows, Columns>(this); }
    void borrow() const&& = delete;  // ashlar: quantized: the memory of a temporary would dangle; name it first

    /// The memory, for code that fills it.
    ASHLAR_ALWAYS_INLINE constexpr detail::int4_columns columns_in_memory() noexcept { return {layout, blocks}; }
};

}  // namespace ashlar
