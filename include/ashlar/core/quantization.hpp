// SPDX-License-Identifier: BSL-1.0
// How floats are rounded to 8 bits: one rule for weights and activations, with the same bits on every machine.
#pragma once

#include <cstdint>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

/// The scale of a line of floats and its inverse: the greatest magnitude becomes 127. Lines of numbers below 2^-120,
/// which have no reciprocal, become zero. A line with NaN or infinity becomes NaN.
struct byte_scale {
    float scale;
    float inverse;
};

/// The bits of a number's magnitude. They are ordered as the numbers, with infinity and then NaN above all.
ASHLAR_ALWAYS_INLINE constexpr std::int32_t magnitude_bits(float value) noexcept {
    return __builtin_bit_cast(std::int32_t, value) & 0x7FFFFFFF;
}

/// The scale of a line, given the bits of its greatest magnitude.
ASHLAR_ALWAYS_INLINE constexpr byte_scale byte_scale_of(std::int32_t greatest_bits) noexcept {
    constexpr std::int32_t infinity = 0x7F800000, least = 0x03800000;
    if (greatest_bits >= infinity) return {__builtin_bit_cast(float, std::int32_t{0x7FC00000}), 0};
    if (greatest_bits < least) return {0, 0};
    const float greatest = __builtin_bit_cast(float, greatest_bits);
    return {greatest / 127.0f, 127.0f / greatest};
}

/// The integer nearest to value * inverse, ties to even; 0 if that is no number below 128. By the bits of the product,
/// so that a compiler cannot contract it with anything.
ASHLAR_ALWAYS_INLINE constexpr std::int8_t rounded_to_byte(float value, float inverse) noexcept {
    const auto bits = __builtin_bit_cast(std::uint32_t, value* inverse);
    const std::uint32_t size = bits & 0x7FFFFFFFu;
    if (size < 0x3F000000u || size >= 0x43000000u) return 0;
    const std::uint32_t shift = 150u - (size >> 23), fraction = (size & 0x7FFFFFu) | 0x800000u,
                        rest = fraction & ((1u << shift) - 1u), middle = 1u << (shift - 1u);
    std::uint32_t whole = fraction >> shift;
    whole += rest > middle || (rest == middle && (whole & 1u) != 0);
    const auto magnitude = static_cast<std::int32_t>(whole);
    return static_cast<std::int8_t>(bits >> 31 != 0 ? -magnitude : magnitude);
}

}  // namespace ashlar::detail
