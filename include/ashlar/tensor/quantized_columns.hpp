// SPDX-License-Identifier: BSL-1.0
// The columns of a matrix in 8 bits, without its type: what rounding them and filling them from files is written
// against.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/core/interleaved_layout.hpp>
#include <ashlar/core/quantization.hpp>

namespace ashlar::detail {

/// The memory of such a matrix.
struct quantized_columns {
    interleaved_layout layout;
    std::int8_t* elements;
    float* scales;       ///< of each column
    std::int32_t* sums;  ///< of each column's integers

    /// Rounds a column: `value(row)` gives its floats.
    template <class Config, class Value>
    constexpr void set(std::size_t column, Value value) const noexcept {
        std::int32_t greatest = 0;
        for (std::size_t r = 0; r < layout.rows; ++r) {
            const std::int32_t bits = magnitude_bits(value(r));
            greatest = bits > greatest ? bits : greatest;
        }
        const byte_scale by = byte_scale_of(greatest);
        set_integers<Config>(column, by.scale, [&](std::size_t r) { return rounded_to_byte(value(r), by.inverse); });
    }
    /// The same of integers from -127 to 127 that `integer(row)` gives.
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
    /// Zeros where no element lies, so that what is computed there changes no sum.
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
