// SPDX-License-Identifier: BSL-1.0
// Converts elements of a weight file to elements of a tensor: widens or rounds half precision, checks integers, swaps
// bytes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <ashlar/core/config.hpp>
#include <ashlar/io/formats/dtype.hpp>
#include <ashlar/io/formats/stored_array.hpp>
#include <ashlar/module/parameters.hpp>

namespace ashlar::inline v0_1::detail {

/// The dtype of an array of a module.
template <class Config>
constexpr io::dtype dtype_of_kind(nn::element_kind kind) noexcept {
    switch (kind) {
    case nn::element_kind::int4:  // files have its values
    case nn::element_kind::f32: return io::dtype::f32;
    case nn::element_kind::f64: return io::dtype::f64;
    case nn::element_kind::i8: return io::dtype::i8;
    case nn::element_kind::i16: return io::dtype::i16;
    case nn::element_kind::i32: return io::dtype::i32;
    case nn::element_kind::i64: return io::dtype::i64;
    case nn::element_kind::u8: return io::dtype::u8;
    case nn::element_kind::u16: return io::dtype::u16;
    case nn::element_kind::u32: return io::dtype::u32;
    case nn::element_kind::u64: return io::dtype::u64;
    case nn::element_kind::boolean: return io::dtype::boolean;
    case nn::element_kind::f16: return io::dtype::f16;
    case nn::element_kind::bf16: return io::dtype::bf16;
    }
    return io::dtype::unknown;
}

/// Whether arrays of one type can be loaded into tensors of another: floating point into floating point, integers into
/// integers, bool into bool.
template <class Config>
constexpr bool dtype_converts(io::dtype from, io::dtype to) noexcept {
    return (from == io::dtype::boolean && to == io::dtype::boolean) || (io::is_floating(from) && io::is_floating(to)) ||
           (io::is_integer(from) && io::is_integer(to));
}

/// The number with these bits. Not std::bit_cast: without optimisation that is a function, which the linker would merge
/// with those of units with other flags.
template <class Element, class Bits>
ASHLAR_ALWAYS_INLINE constexpr Element number_of_bits(Bits bits) noexcept {
    static_assert(sizeof(Element) == sizeof(Bits));
    return __builtin_bit_cast(Element, bits);
}

/// IEEE 754 binary16 as float, exactly: https://en.wikipedia.org/wiki/Half-precision_floating-point_format
template <class Config>
constexpr float float_of_half(std::uint32_t half) noexcept {
    const std::uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
    if (exponent == 31) return number_of_bits<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0) return number_of_bits<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float subnormal = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -subnormal : subnormal;
}

/// Element number i of an array of a file, as the bits of its type in the lowest bytes.
template <class Config>
std::uint64_t stored_bits(const io::stored_array& a, std::size_t i) noexcept {
    const std::size_t width = io::size_of(a.dtype);
    const std::byte* const at = a.data.data() + i * width;
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < width; ++k)
        bits = bits << 8 | std::to_integer<std::uint64_t>(at[a.is_big_endian ? k : width - 1 - k]);
    return bits;
}

/// The number with the bits of a floating-point type; exact.
template <class Config>
constexpr double float_of_bits(std::uint64_t bits, io::dtype type) noexcept {
    switch (type) {
    case io::dtype::f16: return static_cast<double>(float_of_half<Config>(static_cast<std::uint32_t>(bits)));
    case io::dtype::bf16: return static_cast<double>(number_of_bits<float>(static_cast<std::uint32_t>(bits) << 16));
    case io::dtype::f32: return static_cast<double>(number_of_bits<float>(static_cast<std::uint32_t>(bits)));
    default: return number_of_bits<double>(bits);
    }
}
/// A floating-point element.
template <class Config>
double stored_float(const io::stored_array& a, std::size_t i) noexcept {
    return float_of_bits<Config>(stored_bits<Config>(a, i), a.dtype);
}

/// An integer as 64 bits of two's complement, and whether it is negative.
struct wide_integer {
    std::uint64_t bits = 0;
    bool is_negative = false;
};
ASHLAR_ALWAYS_INLINE constexpr bool is_signed_integer(io::dtype type) noexcept {
    return type == io::dtype::i8 || type == io::dtype::i16 || type == io::dtype::i32 || type == io::dtype::i64;
}
template <class Config>
constexpr wide_integer integer_of_bits(std::uint64_t bits, io::dtype type) noexcept {
    const std::size_t width = 8 * io::size_of(type);
    if (!is_signed_integer(type) || (bits >> (width - 1) & 1) == 0) return {bits, false};
    return {width == 64 ? bits : bits | ~std::uint64_t{} << width, true};
}
template <class Config>
wide_integer stored_integer(const io::stored_array& a, std::size_t i) noexcept {
    return integer_of_bits<Config>(stored_bits<Config>(a, i), a.dtype);
}

/// Whether an integer is a value of an integer type.
template <class Config>
constexpr bool integer_fits(wide_integer value, io::dtype type) noexcept {
    const std::size_t width = 8 * io::size_of(type);
    if (!is_signed_integer(type)) return !value.is_negative && (width == 64 || value.bits >> width == 0);
    const std::uint64_t above = value.is_negative ? ~value.bits : value.bits;
    return above >> (width - 1) == 0;
}

/// The positions of a piece's elements in the file's array, from `first_row` of the first axis on.
class file_order {
public:
    ASHLAR_ALWAYS_INLINE constexpr file_order(const io::dimensions& shape, bool is_column_major) noexcept
        : column_major(is_column_major) {
        rank = shape.rank;
        for (std::size_t i = 0; i < rank; ++i) extents[i] = static_cast<std::size_t>(shape.extents[i]);
    }
    /// The position in the file of the element at a row-major index.
    template <class Config = current_config>
    [[nodiscard]] constexpr std::size_t position(std::size_t index) const noexcept {
        if (!column_major) return index;
        std::size_t at = 0;
        std::array<std::size_t, io::dimensions::max_rank> coordinates{};
        for (std::size_t i = rank; i-- > 0;) {
            coordinates[i] = index % extents[i];
            index /= extents[i];
        }
        for (std::size_t i = rank; i-- > 0;) at = at * extents[i] + coordinates[i];
        return at;
    }

private:
    bool column_major;
    std::size_t rank = 0;
    std::array<std::size_t, io::dimensions::max_rank> extents{};
};

/// Moves elements to a module's memory: `read` returns the element at a position of the file's array, and
/// `write(offset, element)` writes it.
template <class Config, class Read, class Write>
constexpr void place_elements(const file_order& order, std::size_t first_row, const nn::const_parameter& to, Read read,
                              Write write) noexcept {
    for (std::size_t row = 0; row < to.rows; ++row) {
        const std::size_t begin = (first_row + row) * to.columns;
        // Most rows are at a constant stride in memory, also of packed matrices, which saves a division by element.
        const bool strided = (to.panel == 0 || to.is_transposed) && to.taps == 1;
        const std::size_t base = to.offset(row, 0), step = to.columns > 1 ? to.offset(row, 1) - base : 0;
        for (std::size_t column = 0; column < to.columns; ++column) {
            const std::size_t at = strided ? base + column * step : to.offset(row, column);
            write(at, read(order.position<Config>(begin + column)));
        }
    }
}

/// Copies a piece of a file's array, whose rows begin at `first_row` of it, to a module's memory. The caller has
/// checked types, shapes and values.
template <class Config>
void copy_array(const io::stored_array& from, std::size_t first_row, const nn::const_parameter& to,
                void* destination) noexcept {
    const io::dtype type = dtype_of_kind<Config>(to.kind);
    auto* const memory = static_cast<std::byte*>(destination);
    const std::byte* const data = from.data.data();
    const bool native = from.is_big_endian == (std::endian::native == std::endian::big);
    const bool same = from.dtype == type && type != io::dtype::boolean;
    if (same && native && !from.is_column_major && !to.is_transposed && to.panel == 0) {
        std::memcpy(memory, data + first_row * to.columns * to.element_bytes, to.size() * to.element_bytes);
        return;
    }
    const auto place = [&](auto read) {
        place_elements<Config>(
            file_order(from.shape, from.is_column_major), first_row, to, read,
            [=](std::size_t at, auto value) { std::memcpy(memory + at * sizeof value, &value, sizeof value); });
    };
    // Elements of the same type keep their bits: NaNs too are unchanged.
    const auto place_bits = [&](auto bits_at) {
        switch (to.element_bytes) {
        case 1: return place([=](std::size_t i) { return static_cast<std::uint8_t>(bits_at(i)); });
        case 2: return place([=](std::size_t i) { return static_cast<std::uint16_t>(bits_at(i)); });
        case 4: return place([=](std::size_t i) { return static_cast<std::uint32_t>(bits_at(i)); });
        default: return place(bits_at);
        }
    };
    const auto native_element = [=]<class Element>(Element element, std::size_t i) {
        std::memcpy(&element, data + i * sizeof(Element), sizeof(Element));
        return element;
    };
    if (same && native && to.element_bytes == 4) {
        place([=](std::size_t i) { return native_element(std::uint32_t{}, i); });
    } else if (same) {
        place_bits([&](std::size_t i) { return stored_bits<Config>(from, i); });
    } else if (type == io::dtype::f32 && native && from.dtype == io::dtype::bf16) {
        place([=](std::size_t i) { return std::uint32_t{native_element(std::uint16_t{}, i)} << 16; });
    } else if (type == io::dtype::f32 && native && from.dtype == io::dtype::f16) {
        place([=](std::size_t i) { return float_of_half<Config>(native_element(std::uint16_t{}, i)); });
    } else if (type == io::dtype::f32) {
        place([&](std::size_t i) { return static_cast<float>(stored_float<Config>(from, i)); });
    } else if (type == io::dtype::f64) {
        place([&](std::size_t i) { return stored_float<Config>(from, i); });
    } else if (type == io::dtype::f16 || type == io::dtype::bf16) {
        place([&](std::size_t i) {
            const float value = rounded_to_odd(stored_float<Config>(from, i));
            return type == io::dtype::f16 ? half_bits_of(value) : brain_bits_of(value);
        });
    } else if (type == io::dtype::boolean) {
        place([&](std::size_t i) { return stored_bits<Config>(from, i) != 0; });
    } else {
        place_bits([&](std::size_t i) { return stored_integer<Config>(from, i).bits; });
    }
}

/// Whether all integers of an array are values of a type.
template <class Config>
bool integers_fit(const io::stored_array& a, io::dtype type) noexcept {
    if (!io::is_integer(type) || a.dtype == type) return true;
    const auto count = static_cast<std::size_t>(a.shape.size());
    for (std::size_t i = 0; i < count; ++i)
        if (!integer_fits<Config>(stored_integer<Config>(a, i), type)) return false;
    return true;
}

}  // namespace ashlar::detail
