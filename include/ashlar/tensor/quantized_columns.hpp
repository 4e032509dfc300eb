// SPDX-License-Identifier: BSL-1.0
// The columns of a matrix in 8 bits, without its type: the interface for rounding and for loading from files.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/core/interleaved_layout.hpp>
#include <ashlar/core/quantization.hpp>
#include <ashlar/core/smoothed.hpp>

namespace ashlar::inline v0_1::detail {

/// The value of an element before outliers were spread, except for rounding.
ASHLAR_ALWAYS_INLINE constexpr float quantized_value(const interleaved_layout& layout, const std::int8_t* elements,
                                                     const float* scales, std::size_t row,
                                                     std::size_t column) noexcept {
    if (layout.spread <= 1) return static_cast<float>(elements[layout.offset(row, column)]) * scales[column];
    const spread_groups groups(layout.rows);
    std::int32_t sum = 0;
    for (std::size_t n = 0; n < layout.spread; ++n) {
        const std::int32_t integer = elements[layout.offset(groups.entry_of(row, n), column)];
        sum += is_negative_in_spread(n, groups.member(row)) ? -integer : integer;
    }
    return static_cast<float>(sum) * (scales[column] / static_cast<float>(layout.spread));
}

/// The memory of such a matrix.
struct quantized_columns {
    interleaved_layout layout;
    std::int8_t* elements;
    float* scales;       ///< of each column
    std::int32_t* sums;  ///< of each column's integers

    /// Rounds a column: `value(row)` gives its floats.
    template <class Config, class Value>
    constexpr void set(std::size_t column, Value value) const noexcept {
        std::int32_t greatest = 0, sum = 0;
        for_each_spread(layout.rows, layout.spread, value, [&](std::size_t, float x) {
            const std::int32_t bits = magnitude_bits(x);
            greatest = bits > greatest ? bits : greatest;
        });
        const byte_scale by = layout.spread == 0 ? byte_scale{1, 1} : byte_scale_of(greatest);
        for_each_spread(layout.rows, layout.spread, value, [&](std::size_t r, float x) {
            const std::int8_t rounded = rounded_to_byte(x, by.inverse);
            elements[layout.offset(r, column)] = rounded;
            sum += rounded;
        });
        // Both operands of a product are divided by the group size, but the product needs that division only once.
        scales[column] = by.scale * static_cast<float>(layout.spread > 1 ? layout.spread : 1);
        sums[column] = sum;
    }
    /// The same for integers from -127 to 127 that `integer(row)` returns.
    template <class Config, class Integer>
    constexpr void set_integers(std::size_t column, float scale, Integer integer) const noexcept {
        std::int32_t sum = 0;
        for (std::size_t r = 0; r < layout.rows; ++r) {
            const std::int8_t rounded = integer(r);
            elements[layout.offset(r, column)] = rounded;
            sum += rounded;
        }
        scales[column] = scale;
        sums[column] = sum;
    }
    /// Zeros in the padding, so that it changes no sum.
    template <class Config>
    constexpr void clear_rest() const noexcept {
        for (std::size_t c = 0; c < layout.panels() * layout.panel; ++c) {
            const std::size_t first = c < layout.columns ? layout.rows : 0;
            for (std::size_t r = first; r < layout.groups() * layout.group; ++r) elements[layout.offset(r, c)] = 0;
            if (c < layout.columns) continue;
            scales[c] = 0;
            sums[c] = 0;
        }
    }
};

}  // namespace ashlar::detail
