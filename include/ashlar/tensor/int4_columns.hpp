// SPDX-License-Identifier: BSL-1.0
// The columns of a matrix of int4, without its type: the interface for rounding and for loading from files.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/core/int4.hpp>
#include <ashlar/core/narrow_float.hpp>
#include <ashlar/core/quantization.hpp>

namespace ashlar::inline v0_1::detail {

/// The integer of an element, from -8 to 7.
ASHLAR_ALWAYS_INLINE constexpr std::int32_t int4_integer(const int4_layout& layout, const int4_block* blocks,
                                                         std::size_t row, std::size_t column) noexcept {
    const int4_block& block = blocks[layout.block(row, column)];
    const std::size_t entry = row % int4_layout::group;
    return (block.integers[int4_block::offset(entry, column % int4_layout::panel)] >> int4_block::shift(entry) & 15) -
           8;
}
/// The scale of an element.
ASHLAR_ALWAYS_INLINE constexpr float int4_scale_at(const int4_layout& layout, const int4_block* blocks, std::size_t row,
                                                   std::size_t column) noexcept {
    return static_cast<float>(blocks[layout.block(row, column)].scales[column % int4_layout::panel]);
}

/// The memory of such a matrix.
struct int4_columns {
    int4_layout layout;
    int4_block* blocks;

    /// Rounds a column: `value(row)` gives its floats.
    template <class Config, class Value>
    constexpr void set(std::size_t column, Value value) const noexcept {
        for (std::size_t first = 0; first < layout.rows; first += int4_layout::group) {
            const std::size_t end = first + int4_layout::group < layout.rows ? first + int4_layout::group : layout.rows;
            float greatest = 0;
            for (std::size_t r = first; r < end; ++r)
                if (magnitude_bits(value(r)) > magnitude_bits(greatest)) greatest = value(r);
            const int4_scale by = int4_scale_of(greatest);
            blocks[layout.block(first, column)].scales[column % int4_layout::panel] = by.scale;
            for (std::size_t r = first; r < end; ++r) put(r, column, rounded_to_int4(value(r), by.inverse));
        }
    }
    /// Zeros in the padding, so that it changes no sum, and in all else, so that two entries of a byte can follow.
    template <class Config>
    constexpr void clear_rest() const noexcept {
        for (std::size_t b = 0; b < layout.size(); ++b) {
            for (std::uint8_t& byte : blocks[b].integers) byte = 0x88;
            for (f16& scale : blocks[b].scales) scale = f16(0.0f);
        }
    }

private:
    constexpr void put(std::size_t row, std::size_t column, std::uint8_t value) const noexcept {
        const std::size_t entry = row % int4_layout::group, shift = int4_block::shift(entry);
        std::uint8_t& byte =
            blocks[layout.block(row, column)].integers[int4_block::offset(entry, column % int4_layout::panel)];
        byte = static_cast<std::uint8_t>((byte & 0xF0 >> shift) | value << shift);
    }
};

}  // namespace ashlar::detail
