// SPDX-License-Identifier: BSL-1.0
// Rounds the columns of a matrix of floats to 8 bits in panels, each column by its own scale, as quantized_columns does
// element by element: keys and values that are rounded in each call would otherwise take longer than their products.
//
// Dispatch, decided by which elements are neighbours:
//   1. those of a row:    a register has one element of each of its columns. Four of them, one byte each, are a group
//   2. those of a column: a register has the next elements of one column
// Where no instruction rounds a register, elements are rounded one by one.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/core/interleaved_layout.hpp>
#include <ashlar/core/quantization.hpp>
#include <ashlar/kernel/product/rounded_rows.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

/// Columns with the layout `Layout`, whose outliers are not spread, from a matrix of floats.
template <class Config, interleaved_layout Layout>
struct rounded_columns {
    static_assert(Layout.spread == 1 && Layout.group == 4);
    static constexpr std::size_t full = lane_width<float, Config>,
                                 width = rounds_registers<full, Config> && full <= Layout.panel ? full : 1;
    static constexpr std::size_t rows = Layout.rows, columns = Layout.columns, line = Layout.panel * Layout.group;
    using values = lanes<float, width, Config>;
    using integers = lanes<std::int32_t, width, Config>;

    std::int8_t* elements;
    float* scales;       ///< of each column
    std::int32_t* sums;  ///< of each column's integers

    /// Rows are `distance` apart, elements of a row are neighbours.
    ASHLAR_STAGE_INLINE void from_rows(const float* from, std::size_t distance) const {
        if constexpr (width == 1) {
            for (std::size_t c = 0; c < columns; ++c) of_column(from + c, distance, c);
        } else {
            std::size_t c = 0;
            for (; c + width <= columns; c += width) of_rows<width>(from + c, distance, c);
            if constexpr (columns % width != 0) of_rows<columns % width>(from + c, distance, c);
        }
    }
    /// Columns are `distance` apart, elements of a column are neighbours.
    ASHLAR_STAGE_INLINE void from_columns(const float* from, std::size_t distance) const {
        for (std::size_t c = 0; c < columns; ++c) of_column(from + c * distance, 1, c);
    }

private:
    /// Elements between two branches.
    static constexpr std::size_t together = machine_of<Config>.single_issue || width < 4 ? 4 * width : width;

    ASHLAR_ALWAYS_INLINE static integers larger(integers greatest, values x) {
        return (max)(greatest, bit_cast_lanes<std::int32_t>(x) & 0x7FFFFFFF);
    }

    template <std::size_t Count>
    ASHLAR_STAGE_INLINE void of_rows(const float* from, std::size_t distance, std::size_t c) const {
        integers greatest(0);
        for (std::size_t r = 0; r < rows; ++r)
            greatest = larger(greatest, values::template load_partial<Count>(from + r * distance));
        float inverses[width] = {};
        std::int32_t kept[width] = {};
        for (std::size_t l = 0; l < Count; ++l) {
            const byte_scale by = byte_scale_of(greatest[l]);
            scales[c + l] = by.scale;
            inverses[l] = by.inverse;
            kept[l] = by.inverse == 0 ? 0 : -1;
        }
        const values inverse = values::load(inverses);
        // Columns without a scale have zeros, also for infinity and NaN.
        const integers keep = integers::load(kept);
        integers sum(0);
        std::int8_t* at = elements + Layout.offset(0, c);
        const auto group = [&]<std::size_t Rows>(const float* first) ASHLAR_STAGE_LAMBDA {
            integers bytes(0);
            ASHLAR_UNROLL
            for (std::size_t i = 0; i < Rows; ++i) {
                const integers x =
                    bit_cast_lanes<std::int32_t>(values::template load_partial<Count>(first + i * distance)) & keep;
                const integers whole = convert_lanes<std::int32_t>(round_nearest(bit_cast_lanes<float>(x) * inverse));
                sum = sum + whole;
                bytes = bytes | (whole & 255) << static_cast<int>(8 * i);
            }
            std::int32_t words[width];
            bytes.store(words);
            __builtin_memcpy(at, words, Count * sizeof *words);
            at += line;
        };
        std::size_t r = 0;
        for (; r + 4 <= rows; r += 4) group.template operator()<4>(from + r * distance);
        if constexpr (rows % 4 != 0) group.template operator()<rows % 4>(from + r * distance);
        sum.template store_partial<Count>(sums + c);
    }

    /// Elements are `apart` apart: 1, or anything if registers have one element.
    ASHLAR_STAGE_INLINE void of_column(const float* from, std::size_t apart, std::size_t c) const {
        integers greatest(0);
        std::size_t r = 0;
        for (; r + together <= rows; r += together) {
            ASHLAR_UNROLL
            for (std::size_t i = 0; i < together; i += width)
                greatest = larger(greatest, values::load(from + (r + i) * apart));
        }
        for (; r < rows; r += width)
            greatest = larger(greatest, values::load_partial(from + r * apart, rows - r < width ? rows - r : width));
        const byte_scale by = byte_scale_of(reduce_max(greatest));
        scales[c] = by.scale;
        std::int8_t* at = elements + Layout.offset(0, c);
        if (by.inverse == 0) {
            for (std::size_t g = 0; g < Layout.groups(); ++g) __builtin_memset(at + g * line, 0, 4);
            sums[c] = 0;
            return;
        }
        const values inverse(by.inverse);
        integers sum(0);
        r = 0;
        for (; r + together <= rows; r += together) {
            ASHLAR_UNROLL
            for (std::size_t i = 0; i < together; i += wide)
                put<wide>(from + (r + i) * apart, apart, inverse, sum, at + (r + i) / 4 * line);
        }
        for (; r + wide <= rows; r += wide) put<wide>(from + r * apart, apart, inverse, sum, at + r / 4 * line);
        if constexpr (rows % wide != 0) put<rows % wide>(from + r * apart, apart, inverse, sum, at + r / 4 * line);
        sums[c] = reduce_add(sum);
    }
    /// Whole groups, and a register.
    static constexpr std::size_t wide = width < 4 ? 4 : width;

    template <std::size_t Count>
    ASHLAR_STAGE_INLINE static void put(const float* from, std::size_t apart, values inverse, integers& sum,
                                        std::int8_t* at) {
        if constexpr (width == 1) {
            std::int8_t bytes[4] = {};
            ASHLAR_UNROLL
            for (std::size_t i = 0; i < Count; ++i) {
                bytes[i] = rounded_element<Config>(from[i * apart], inverse[0]);
                sum = sum + integers(bytes[i]);
            }
            __builtin_memcpy(at, bytes, sizeof bytes);
        } else {
            const values x = values::template load_partial<Count>(from) * inverse;
            sum = sum + convert_lanes<std::int32_t>(round_nearest(x));
            if constexpr (width == 4) {
                round_register<false>(x, reinterpret_cast<std::uint8_t*>(at));
            } else {
                std::uint8_t bytes[width];
                round_register<false>(x, bytes);
                ASHLAR_UNROLL
                for (std::size_t g = 0; g < (Count + 3) / 4; ++g) __builtin_memcpy(at + g * line, bytes + 4 * g, 4);
            }
        }
    }
};

}  // namespace ashlar::detail
