// SPDX-License-Identifier: BSL-1.0
// Storage formats of 16-bit floating-point numbers. Arithmetic is done in float.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>

#if defined(__STDCPP_FLOAT16_T__) || defined(__STDCPP_BFLOAT16_T__)
#include <stdfloat>
#endif

namespace ashlar::inline v0_1 {

namespace detail {

/// Formats of 16 bits: more digits, or the range of float.
enum class narrow_format : std::uint8_t { half, brain };

/// The float of the bits of a half: exact, NaN becomes a quiet one.
ASHLAR_ALWAYS_INLINE constexpr float float_of_half_bits(std::uint16_t bits) noexcept {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16, size = bits & 0x7FFFu;
    if (size >= 0x7C00u)
        return __builtin_bit_cast(float, sign | 0x7F800000u | (size & 0x3FFu) << 13 | (size > 0x7C00u ? 0x400000u : 0));
    if (size >= 0x400u) return __builtin_bit_cast(float, sign | ((size << 13) + (112u << 23)));
    // A subnormal number is so many steps of 2^-24.
    const float steps = static_cast<float>(size) * 0x1p-24f;
    return __builtin_bit_cast(float, sign | __builtin_bit_cast(std::uint32_t, steps));
}

/// The bits of the half nearest to a float, ties to even; NaN stays a quiet NaN.
ASHLAR_ALWAYS_INLINE constexpr std::uint16_t half_bits_of(float value) noexcept {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value), size = bits & 0x7FFFFFFFu,
                        sign = bits >> 16 & 0x8000u;
    std::uint32_t half = 0;
    if (size > 0x7F800000u) {
        half = 0x7E00u | (size >> 13 & 0x3FFu);
    } else if (size >= 0x47800000u) {
        half = 0x7C00u;  // 2^16 and above
    } else if (size >= 0x38800000u) {
        // A carry out of the fraction increments the exponent, and turns the largest number into infinity.
        half = (size - (112u << 23) + 0xFFFu + (size >> 13 & 1u)) >> 13;
    } else if (size > 0x33000000u) {
        // Steps of 2^-24: the bits that are shifted out decide.
        const std::uint32_t shift = 126u - (size >> 23), fraction = (size & 0x7FFFFFu) | 0x800000u,
                            rest = fraction & ((1u << shift) - 1u), middle = 1u << (shift - 1u);
        half = fraction >> shift;
        half += rest > middle || (rest == middle && (half & 1u) != 0);
    }
    return static_cast<std::uint16_t>(sign | half);
}

/// The float of the bits of a bfloat: its upper half.
ASHLAR_ALWAYS_INLINE constexpr float float_of_brain_bits(std::uint16_t bits) noexcept {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
}

/// The bits of the bfloat nearest to a float, ties to even; NaN stays a quiet NaN.
ASHLAR_ALWAYS_INLINE constexpr std::uint16_t brain_bits_of(float value) noexcept {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

/// The float that rounds on as the double would: if no float equals the double, the odd one of its two neighbours.
ASHLAR_ALWAYS_INLINE constexpr float rounded_to_odd(double value) noexcept {
    const auto nearest = static_cast<float>(value);
    const auto bits = __builtin_bit_cast(std::uint32_t, nearest);
    const auto back = static_cast<double>(nearest);
    if (back == value || value != value || (bits & 1u) != 0) return nearest;
    const bool beyond = value < 0 ? back < value : back > value;
    return __builtin_bit_cast(float, beyond ? bits - 1u : bits + 1u);
}
template <class Number>
ASHLAR_ALWAYS_INLINE constexpr float float_to_be_rounded(Number value) noexcept {
    if constexpr (std::is_same_v<Number, float>)
        return value;
    else
        return rounded_to_odd(static_cast<double>(value));
}

/// A number of 16 bits if the compiler has no such type. As the standard's types, it converts to float implicitly, and
/// from float explicitly. Bits are public only so that it is a structural type.
template <narrow_format Format>
struct narrow_float {
    std::uint16_t bits;

    narrow_float() = default;
    template <class Number>
        requires std::is_arithmetic_v<Number>
    ASHLAR_ALWAYS_INLINE constexpr explicit narrow_float(Number value) noexcept
        : bits(Format == narrow_format::half ? half_bits_of(float_to_be_rounded(value))
                                             : brain_bits_of(float_to_be_rounded(value))) {}
    ASHLAR_ALWAYS_INLINE constexpr operator float() const noexcept {
        return Format == narrow_format::half ? float_of_half_bits(bits) : float_of_brain_bits(bits);
    }
};

}  // namespace detail

/// The IEEE format of 16 bits (binary16): 11 significant bits, up to 65,504. std::float16_t where the compiler has it.
/// A float is rounded to the nearest one, of two as near to the even one, by `f16(x)`; reading one as a float is exact.
/// Tensors hold them; in expressions they are floats.
///
///     tensor<f16, 64, 32> w = x;              // rounds
///     tensor<float, 64, 64> y = matmul(x, transpose(w));
#if defined(__STDCPP_FLOAT16_T__)
using f16 = std::float16_t;
#else
using f16 = detail::narrow_float<detail::narrow_format::half>;
#endif

/// The upper half of a float: 8 significant bits and its range. std::bfloat16_t where the compiler has it. Otherwise as
/// `f16`.
///
///     nn::linear<{.in = 64, .out = 256}, float, bf16> layer{};   // weights of half the bytes
#if defined(__STDCPP_BFLOAT16_T__)
using bf16 = std::bfloat16_t;
#else
using bf16 = detail::narrow_float<detail::narrow_format::brain>;
#endif

namespace detail {

/// Whether a type is stored in 16 or 8 bits and computed as float.
template <class Element>
inline constexpr bool is_narrow = false;
template <>
inline constexpr bool is_narrow<f16> = true;
template <>
inline constexpr bool is_narrow<bf16> = true;

/// Bytes of a number that is stored in fewer bytes than it is computed with; 0 for all others.
template <class Element>
inline constexpr std::uint8_t narrow_bytes = is_narrow<std::remove_cv_t<Element>> ? sizeof(Element) : 0;

template <class Element>
inline constexpr bool is_bf16 = std::is_same_v<std::remove_cv_t<Element>, bf16>;

/// The element type in expressions: float for f16, bf16 and other narrow types.
template <class Element>
struct computed_element {
    using type = Element;
};
template <class Element>
    requires is_narrow<Element>
struct computed_element<Element> {
    using type = float;
};
template <class Element>
using computed = typename computed_element<Element>::type;

/// The bits of a number of 16 bits.
template <class Narrow>
ASHLAR_ALWAYS_INLINE constexpr std::uint16_t narrow_bits(Narrow value) noexcept {
    return __builtin_bit_cast(std::uint16_t, value);
}

}  // namespace detail
}  // namespace ashlar
