// SPDX-License-Identifier: BSL-1.0
// A matrix in 8 bits with a scale per column, in the order in which kernels of integer products stream it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/interleaved_layout.hpp>
#include <ashlar/core/smoothed.hpp>
#include <ashlar/core/unscaled.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/tensor/quantized_columns.hpp>

namespace ashlar::inline v0_1 {

template <class Element, auto... Dims>
struct basic_quantized;

namespace detail {

/// Whether products with an operand are integer products.
template <class Expression>
inline constexpr bool is_quantized = false;
template <class Expression>
    requires(kind_of<Expression> == node_kind::packed)
inline constexpr bool is_quantized<Expression> = Expression::is_quantized;

/// The maximum number of rows of a matrix in 8 bits: a sum of so many products fits into 32 bits.
inline constexpr std::size_t most_quantized_rows = 131'072;

/// Whether a matrix can be held in 8 bits.
template <class Element, auto... Dims>
struct quantized_matrix {
    static constexpr bool fits = false;
};
template <class Element, auto Rows, auto Columns>
struct quantized_matrix<Element, Rows, Columns> {
    static constexpr bool fits =
        std::is_same_v<typename smoothed_traits<Element>::value, float> && extent_of(Rows) <= most_quantized_rows;
};

/// The common base of quantized matrices and borrowed ones.
template <class Derived, class Element, auto Rows, auto Columns>
struct quantized_access : shape<Rows, Columns> {
    using shape_type = shape<Rows, Columns>;
    using value_type = typename smoothed_traits<Element>::value;
    using expression_category = node_category;
    static constexpr node_kind kind = node_kind::packed;
    /// Columns of a panel: times a group of four depth steps, they fill one cache line, on all architectures.
    static constexpr std::size_t panel = 16;
    static constexpr bool is_quantized = true;
    /// Whether the outliers of the columns are spread, and those of the rows that it multiplies.
    static constexpr bool is_smoothed = smoothed_traits<Element>::is_smoothed;
    static constexpr std::uint8_t spread = is_smoothed ? std::uint8_t{spread_of(shape_type::extents[0])}
                                                       : std::uint8_t{smoothed_traits<Element>::scales_rows};
    static constexpr std::uint8_t scale_group = 0;
    static constexpr interleaved_layout layout{shape_type::extents[0], shape_type::extents[1], panel, 4, spread};

    /// The value at (row, column). Both must be in range, checked in debug builds.
    template <class Config = current_config>
    [[nodiscard]] constexpr value_type operator()(std::size_t row, std::size_t column) const {
        ASHLAR_ASSERT(row < shape_type::extents[0] && column < shape_type::extents[1],
                      "ashlar: quantized: index out of range");
        const auto& self = static_cast<const Derived&>(*this);
        return quantized_value(layout, self.data(), self.column_scales(), row, column);
    }
};

/// A quantized matrix of another owner, as an operand.
template <class Element, auto Rows, auto Columns>
struct borrowed_quantized : quantized_access<borrowed_quantized<Element, Rows, Columns>, Element, Rows, Columns> {
    const basic_quantized<Element, Rows, Columns>* matrix;

    ASHLAR_ALWAYS_INLINE constexpr explicit borrowed_quantized(const basic_quantized<Element, Rows, Columns>* m)
        : matrix(m) {}
    ASHLAR_ALWAYS_INLINE constexpr const std::int8_t* data() const { return matrix->elements; }
    ASHLAR_ALWAYS_INLINE constexpr const float* column_scales() const { return matrix->scales; }
    ASHLAR_ALWAYS_INLINE constexpr const std::int32_t* column_sums() const { return matrix->sums; }
};

}  // namespace detail

/// A matrix [rows, columns] of floats for the right operand of `matmul`, with each column rounded to integers from -127
/// to 127 with its own scale: a quarter of the bytes, plus a scale and a sum per column. When `matmul(x, w)` runs, it
/// rounds each row of x likewise, accumulates integers exactly, and multiplies the sum by both scales; the sums are the
/// same on every machine. Made by `quantize`; outside of products it has the rounded values. A row of x with NaN or
/// infinity gives NaN, a row of zeros gives zeros. Depth and columns are padded to multiples of 4 and 16.
///
///     template <class Element, auto Rows, auto Columns>   // deduced; `quantized` is the type to write
///     inline std::size_t rows_of(const basic_quantized<Element, Rows, Columns>&) { return Rows; }
template <class Element, auto... Dims>
struct basic_quantized {
    static_assert(detail::quantized_matrix<Element, Dims...>::fits,
                  "ashlar: quantized: only a matrix of floats with at most 131,072 rows can be held in 8 bits; write "
                  "quantized<float, rows, columns>");
};
template <class Element, auto Rows, auto Columns>
    requires(detail::quantized_matrix<Element, Rows, Columns>::fits)
struct alignas(64) basic_quantized<Element, Rows, Columns>
    : detail::quantized_access<basic_quantized<Element, Rows, Columns>, Element, Rows, Columns> {
    using detail::quantized_access<basic_quantized<Element, Rows, Columns>, Element, Rows, Columns>::layout;
    static constexpr std::size_t stored_columns = layout.panels() * layout.panel;

    std::int8_t elements[layout.size()];
    float scales[stored_columns];       ///< of each column
    std::int32_t sums[stored_columns];  ///< of each column's integers

    ASHLAR_ALWAYS_INLINE constexpr const std::int8_t* data() const& { return elements; }
    ASHLAR_ALWAYS_INLINE constexpr const float* column_scales() const& { return scales; }
    ASHLAR_ALWAYS_INLINE constexpr const std::int32_t* column_sums() const& { return sums; }
    constexpr const std::int8_t* data(  // ashlar: quantized: the memory of a temporary would dangle; name it first
    ) const&& = delete;
    /// A borrowed operand, not a copy.
    ASHLAR_ALWAYS_INLINE constexpr auto borrow() const& {
        return detail::borrowed_quantized<Element, Rows, Columns>(this);
    }
    void borrow() const&& = delete;  // ashlar: quantized: the memory of a temporary would dangle; name it first

    /// The memory, for code that fills it.
    ASHLAR_ALWAYS_INLINE constexpr detail::quantized_columns columns_in_memory() noexcept {
        return {layout, elements, scales, sums};
    }
};

/// The type of a matrix in 8 bits for elements of type Element and dimensions [rows, columns].
///
///     static quantized<float, 64, 256> w = quantize(weights);
///     y = matmul(x, w);   // the epilogues of `matmul` apply as with floats
template <class Element, auto... Dims>
using quantized = basic_quantized<Element, detail::canonical(Dims)...>;

}  // namespace ashlar
