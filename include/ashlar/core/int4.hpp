// SPDX-License-Identifier: BSL-1.0
// int4: weights in 4 bits with a scale for every 32 entries, their rounding and their layout.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/core/narrow_float.hpp>
#include <ashlar/core/quantization.hpp>

namespace ashlar::inline v0_1 {

/// As the element type of a quantized matrix, `quantized<int4, 576, 1536>`: integers from -8 to 7 with a scale in f16
/// for every 32 entries of a column. 18 bytes for 32 weights, 0.14 of their bytes as floats, 0.56 of those in 8 bits. A
/// row that it multiplies is rounded to 8 bits, each 32 entries with their own scale. Integers and scales have the bits
/// of ggml's Q4_0. A product of one row takes about half as long as with 8 bits if the weights come from memory.
///
///     static quantized<int4, 576, 1536> w;
///     quantize(w, loaded);
struct int4 {};

namespace detail {

/// Entries of a column that share a scale.
inline constexpr std::size_t int4_group = 32;

/// The integers and scales of 32 entries of each of 32 columns. Byte 128 r + 4 c + i has the entries 8 r + i and, in
/// its upper half, 8 r + 4 + i of column c, with 8 added, so that the halves are unsigned bytes and signed ones at
/// once. Nine cache lines: a product of one row reads a panel as one stream, scales included, which from memory takes
/// two thirds of the time of two streams (Zen 5).
struct int4_block {
    static constexpr std::size_t columns = 32, quad = 4, line = columns * quad;

    std::uint8_t integers[columns * int4_group / 2];
    f16 scales[columns];

    /// The byte of an entry of a column, and by how many bits it is shifted there.
    static constexpr std::size_t offset(std::size_t entry, std::size_t column) noexcept {
        return entry / (2 * quad) * line + column * quad + entry % quad;
    }
    static constexpr std::size_t shift(std::size_t entry) noexcept { return entry / quad % 2 * 4; }
};

/// A matrix of int4 in panels of 32 columns, [panels][groups of 32 depth steps]. Depth and columns are padded to whole
/// groups and panels.
struct int4_layout {
    std::size_t rows, columns;

    static constexpr std::size_t panel = int4_block::columns, group = int4_group;

    ASHLAR_ALWAYS_INLINE constexpr std::size_t groups() const noexcept { return (rows + group - 1) / group; }
    ASHLAR_ALWAYS_INLINE constexpr std::size_t panels() const noexcept { return (columns + panel - 1) / panel; }
    /// All blocks.
    ASHLAR_ALWAYS_INLINE constexpr std::size_t size() const noexcept { return panels() * groups(); }
    /// The block of element (row, column).
    ASHLAR_ALWAYS_INLINE constexpr std::size_t block(std::size_t row, std::size_t column) const noexcept {
        return column / panel * groups() + row / group;
    }
};

/// The scale of a group and its inverse: the entry with the greatest magnitude becomes -8. Source:
/// quantize_row_q4_0_ref of ggml. A group with NaN or infinity has the scale NaN, one of numbers below 2^-117 the
/// scale 0.
struct int4_scale {
    f16 scale;
    float inverse;
};
ASHLAR_ALWAYS_INLINE constexpr int4_scale int4_scale_of(float greatest) noexcept {
    constexpr std::int32_t infinity = 0x7F800000, least = 0x05000000;
    const std::int32_t bits = magnitude_bits(greatest);
    if (bits >= infinity) return {f16(__builtin_bit_cast(float, std::int32_t{0x7FC00000})), 0};
    if (bits < least) return {f16(0.0f), 0};
    const float scale = greatest / -8.0f;
    return {f16(scale), 1.0f / scale};
}

/// The integer of an entry, with 8 added. The sum is rounded to float, as in ggml. In double a compiler cannot contract
/// it with the product, but g++ adds in float what consists of floats: 8.5 would be one. 2^-49 more changes no integer,
/// because sums next to one are exact, and halfway below one they are rounded up anyway.
ASHLAR_ALWAYS_INLINE constexpr std::uint8_t rounded_to_int4(float value, float inverse) noexcept {
    const float product = value * inverse;
    const auto up = static_cast<float>(static_cast<double>(product) + (8.5 + 0x1p-49));
    if (!(up >= 0)) return 0;
    return up >= 15.0f ? std::uint8_t{15} : static_cast<std::uint8_t>(up);
}

}  // namespace detail
}  // namespace ashlar
