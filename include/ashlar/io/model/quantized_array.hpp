// SPDX-License-Identifier: BSL-1.0
// Loads 8-bit matrices of a model from arrays of files: rounded, or as integers with their scales.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ashlar/core/config.hpp>
#include <ashlar/io/formats/convert.hpp>
#include <ashlar/module/parameters.hpp>
#include <ashlar/tensor/quantized_columns.hpp>

namespace ashlar::inline v0_1::io {

/// The error of rounding a matrix to 8 bits. Example: `quantize`.
struct quantization_error {
    std::string_view name;    ///< of the array in the file; valid during the call
    std::size_t rows = 0;     ///< rounded rows of the file's array: outputs of a layer
    std::size_t columns = 0;  ///< elements of each
    double relative = 0;      ///< the root of the sum of squared differences, divided by that of the squared elements
    double greatest = 0;      ///< the greatest difference
};

}  // namespace ashlar::io

namespace ashlar::inline v0_1::detail {

/// The column of a file's row for this row of memory.
ASHLAR_ALWAYS_INLINE constexpr std::size_t file_column(const nn::const_parameter& p, std::size_t row) noexcept {
    if (p.taps == 1) return row;
    const std::size_t channels = p.columns / p.taps;
    return row % channels * p.taps + row / channels;
}

/// The position in a file's array of an element of a quantized matrix, whose rows begin at `first_row` of it.
struct quantized_position {
    const file_order& order;
    std::size_t first_row;
    const nn::const_parameter& to;

    template <class Config>
    [[nodiscard]] constexpr std::size_t of(std::size_t r, std::size_t c) const noexcept {
        const std::size_t row = to.is_transposed ? c : r, column = to.is_transposed ? file_column(to, r) : c;
        return order.position<Config>((first_row + row) * to.columns + column);
    }
};

/// Fills a matrix in 8 bits from a piece of a file's array of a type, whose bits `bits_at` a position returns: it
/// rounds floats, and copies integers, whose scales are a separate array.
template <class Config, class Bits>
constexpr void fill_quantized(const quantized_columns& memory, quantized_position position, io::dtype type,
                              Bits bits_at) noexcept {
    memory.clear_rest<Config>();
    for (std::size_t c = 0; c < memory.layout.columns; ++c) {
        const auto bits = [&](std::size_t r) { return bits_at(position.of<Config>(r, c)); };
        if (io::is_floating(type)) {
            memory.set<Config>(c,
                               [&](std::size_t r) { return static_cast<float>(float_of_bits<Config>(bits(r), type)); });
        } else {
            memory.set_integers<Config>(c, memory.scales[c], [&](std::size_t r) {
                const auto integer = static_cast<std::int8_t>(static_cast<std::uint8_t>(bits(r) & 0xff));
                // `load` refuses -128 before it copies. The compiler does not read the values of embedded weights.
                return integer == -128 ? std::int8_t{-127} : integer;
            });
        }
    }
}

ASHLAR_ALWAYS_INLINE quantized_columns quantized_columns_of(const nn::const_parameter& to) noexcept {
    return {to.layout(), static_cast<std::int8_t*>(const_cast<void*>(to.data)),
            static_cast<float*>(const_cast<void*>(to.scales)), static_cast<std::int32_t*>(const_cast<void*>(to.sums))};
}

/// The error of rounding a matrix, whose elements `exact` and `rounded` return by row and column.
template <class Config, class Exact, class Rounded>
io::quantization_error error_of_rounding(std::string_view name, const nn::const_parameter& to, std::size_t rows,
                                         std::size_t columns, Exact exact, Rounded rounded) noexcept {
    io::quantization_error error{.name = name, .rows = to.rows, .columns = to.columns};
    double all = 0, squares = 0;
    for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t r = 0; r < rows; ++r) {
            const auto a = static_cast<double>(exact(r, c)), b = static_cast<double>(rounded(r, c));
            const double off = a < b ? b - a : a - b;
            all += a * a;
            squares += off * off;
            if (!(off <= error.greatest)) error.greatest = off;
        }
    error.relative = all == 0 ? 0 : std::sqrt(squares / all);
    return error;
}

/// Fills a matrix in 8 bits and returns the error of rounding.
template <class Config>
io::quantization_error copy_quantized(const io::stored_array& from, std::size_t first_row,
                                      const nn::const_parameter& to) noexcept {
    const quantized_columns memory = quantized_columns_of(to);
    const file_order order(from.shape, from.is_column_major);
    const quantized_position position{order, first_row, to};
    fill_quantized<Config>(memory, position, from.dtype, [&](std::size_t i) { return stored_bits<Config>(from, i); });
    if (!io::is_floating(from.dtype)) return {.name = from.name, .rows = to.rows, .columns = to.columns};
    return error_of_rounding<Config>(
        from.name, to, memory.layout.rows, memory.layout.columns,
        [&](std::size_t r, std::size_t c) {
            return static_cast<float>(stored_float<Config>(from, position.of<Config>(r, c)));
        },
        [&](std::size_t r, std::size_t c) {
            return quantized_value(memory.layout, memory.elements, memory.scales, r, c);
        });
}

/// Whether all integers of a file's array fit a matrix in 8 bits: from -127 to 127.
template <class Config>
bool integers_are_symmetric(const io::stored_array& a) noexcept {
    const auto count = static_cast<std::size_t>(a.shape.size());
    for (std::size_t i = 0; i < count; ++i) {
        const wide_integer value = stored_integer<Config>(a, i);
        if ((value.is_negative ? std::uint64_t{} - value.bits : value.bits) > 127) return false;
    }
    return true;
}

}  // namespace ashlar::detail
