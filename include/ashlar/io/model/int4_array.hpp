// SPDX-License-Identifier: BSL-1.0
// Matrices of int4 and arrays of files, which have their values as floats: rounding what is rounded changes nothing.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/core/int4.hpp>
#include <ashlar/io/formats/convert.hpp>
#include <ashlar/io/model/quantized_array.hpp>
#include <ashlar/module/parameters.hpp>
#include <ashlar/tensor/int4_columns.hpp>

namespace ashlar::inline v0_1::detail {

/// The row of memory that belongs to a column of a file's array whose rows are columns in memory.
ASHLAR_ALWAYS_INLINE constexpr std::size_t memory_row(const nn::const_parameter& p, std::size_t column) noexcept {
    return p.taps == 1 ? column : column % p.taps * (p.columns / p.taps) + column / p.taps;
}

/// The value of an element of a piece, by its place in the file.
template <class Config>
float int4_value(const nn::const_parameter& p, std::size_t row, std::size_t column) noexcept {
    const int4_layout layout = p.int4_layout();
    const auto* const blocks = static_cast<const int4_block*>(p.data);
    const std::size_t line = p.is_transposed ? memory_row(p, column) : row, at = p.is_transposed ? row : column;
    return static_cast<float>(int4_integer(layout, blocks, line, at)) * int4_scale_at(layout, blocks, line, at);
}

/// Fills a matrix of int4 from a piece of a file's array, whose values `value_at` a position returns.
template <class Config, class Value>
constexpr void fill_int4(const int4_columns& memory, quantized_position position, Value value_at) noexcept {
    memory.clear_rest<Config>();
    for (std::size_t c = 0; c < memory.layout.columns; ++c)
        memory.set<Config>(c, [&](std::size_t r) { return value_at(position.of<Config>(r, c)); });
}

/// Fills a matrix of int4 and returns the error of rounding.
template <class Config>
io::quantization_error copy_int4(const io::stored_array& from, std::size_t first_row,
                                 const nn::const_parameter& to) noexcept {
    const int4_columns memory{to.int4_layout(), static_cast<int4_block*>(const_cast<void*>(to.data))};
    const file_order order(from.shape, from.is_column_major);
    const quantized_position position{order, first_row, to};
    const auto value_at = [&](std::size_t i) { return static_cast<float>(stored_float<Config>(from, i)); };
    fill_int4<Config>(memory, position, value_at);
    return error_of_rounding<Config>(
        from.name, to, memory.layout.rows, memory.layout.columns,
        [&](std::size_t r, std::size_t c) { return value_at(position.of<Config>(r, c)); },
        [&](std::size_t r, std::size_t c) {
            return static_cast<float>(int4_integer(memory.layout, memory.blocks, r, c)) *
                   int4_scale_at(memory.layout, memory.blocks, r, c);
        });
}

}  // namespace ashlar::detail
