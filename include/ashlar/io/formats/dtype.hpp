// SPDX-License-Identifier: BSL-1.0
// Element types and shapes of arrays in weight files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::io {

/// The bytes of a file, or of an image.
///
///     const io::bytes image = std::as_bytes(std::span(flash));
using bytes = std::span<const std::byte>;

/// Element types of weight files, by safetensors' names. For 8-bit floats and complex numbers only the size is known: a
/// file may have such arrays, but they cannot be loaded into a tensor.
enum class dtype : std::uint8_t {
    unknown,
    boolean,
    u8,
    i8,
    f8_e5m2,
    f8_e4m3,
    u16,
    i16,
    f16,
    bf16,
    u32,
    i32,
    f32,
    u64,
    i64,
    f64,
    c64
};

}  // namespace ashlar::io

namespace ashlar::inline v0_1::detail {

inline constexpr const char* dtype_names[]{"?",    "BOOL", "U8",  "I8",  "F8_E5M2", "F8_E4M3", "U16", "I16", "F16",
                                           "BF16", "U32",  "I32", "F32", "U64",     "I64",     "F64", "C64"};

}  // namespace ashlar::detail

namespace ashlar::inline v0_1::io {

/// Bytes of an element; 0 of an unknown type.
///
///     static_assert(io::size_of(io::dtype::bf16) == 2);
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t size_of(dtype type) noexcept {
    if (type == dtype::unknown) return 0;
    if (type <= dtype::f8_e4m3) return 1;
    if (type <= dtype::bf16) return 2;
    if (type <= dtype::f32) return 4;
    return 8;
}

/// The safetensors name of a type, "F32".
///
///     std::puts(io::name_of(io::dtype::f32));   // F32
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const char* name_of(dtype type) noexcept {
    return ashlar::detail::dtype_names[static_cast<std::size_t>(type)];
}

/// Whether a type holds real numbers that tensors of float or double can be loaded from.
///
///     static_assert(io::is_floating(io::dtype::f16) && !io::is_floating(io::dtype::f8_e4m3));
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool is_floating(dtype type) noexcept {
    return type == dtype::f16 || type == dtype::bf16 || type == dtype::f32 || type == dtype::f64;
}

/// Whether a type holds integers (bool is none).
///
///     static_assert(io::is_integer(io::dtype::u8) && !io::is_integer(io::dtype::boolean));
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool is_integer(dtype type) noexcept {
    switch (type) {
    case dtype::u8:
    case dtype::i8:
    case dtype::u16:
    case dtype::i16:
    case dtype::u32:
    case dtype::i32:
    case dtype::u64:
    case dtype::i64: return true;
    default: return false;
    }
}

/// The dtype of a tensor's element type.
///
///     static_assert(io::dtype_of<float>() == io::dtype::f32 && io::dtype_of<bf16>() == io::dtype::bf16);
template <any_element Element>
[[nodiscard]] consteval dtype dtype_of() noexcept {
    if constexpr (std::is_same_v<std::remove_cv_t<Element>, bool>)
        return dtype::boolean;
    else if constexpr (std::is_same_v<std::remove_cv_t<Element>, ashlar::f16>)
        return dtype::f16;
    else if constexpr (std::is_same_v<std::remove_cv_t<Element>, ashlar::bf16>)
        return dtype::bf16;
    else if constexpr (std::is_floating_point_v<Element>)
        return sizeof(Element) == 4 ? dtype::f32 : sizeof(Element) == 8 ? dtype::f64 : dtype::unknown;
    else if constexpr (std::is_signed_v<Element>)
        return sizeof(Element) == 1   ? dtype::i8
               : sizeof(Element) == 2 ? dtype::i16
               : sizeof(Element) == 4 ? dtype::i32
                                      : dtype::i64;
    else
        return sizeof(Element) == 1   ? dtype::u8
               : sizeof(Element) == 2 ? dtype::u16
               : sizeof(Element) == 4 ? dtype::u32
                                      : dtype::u64;
}

/// The extents of an array in a file; at most as many axes as tensors may have.
///
///     for (std::size_t axis = 0; axis < array.shape.rank; ++axis) std::printf("%zu ", array.shape.extents[axis]);
struct dimensions {
    static constexpr std::size_t max_rank = 8;

    std::size_t rank = 0;
    std::array<std::uint64_t, max_rank> extents{};

    /// The number of elements: at most 2^64 - 1, which the reader of the extents has checked.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::uint64_t size() const noexcept {
        std::uint64_t count = 1;
        for (std::size_t i = 0; i < rank; ++i) count *= extents[i];
        return count;
    }
    friend constexpr bool operator==(const dimensions&, const dimensions&) = default;
};

}  // namespace ashlar::io
