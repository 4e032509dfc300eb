// SPDX-License-Identifier: BSL-1.0
// Integers of 8 bits in place of floats: the storage of cache rows, each with a scale.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/core/narrow_float.hpp>
#include <ashlar/core/quantization.hpp>

namespace ashlar::inline v0_1::detail {

/// A whole number from -127 to 127 that is a float in expressions, as `f16` and `bf16` are: read exactly, and rounded
/// to nearest, ties to even, when it is written. The writer has scaled it into that range. NaN becomes 0.
struct narrow_integer {
    std::int8_t value;

    narrow_integer() = default;
    template <class Number>
        requires std::is_arithmetic_v<Number>
    ASHLAR_ALWAYS_INLINE constexpr explicit narrow_integer(Number number) noexcept
        : value(rounded_to_byte(static_cast<float>(number), 1.0f)) {}
    ASHLAR_ALWAYS_INLINE constexpr operator float() const noexcept { return static_cast<float>(value); }
};

template <>
inline constexpr bool is_narrow<narrow_integer> = true;

/// The storage type of elements: whole numbers if std::int8_t is given in place of a floating-point type.
template <class Element>
using stored_number = std::conditional_t<std::is_same_v<Element, std::int8_t>, narrow_integer, Element>;

}  // namespace ashlar::detail
