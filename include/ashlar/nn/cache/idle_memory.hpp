// SPDX-License-Identifier: BSL-1.0
// The union member that is active while nothing has been written to the memory.
#pragma once

#include <bit>
#include <cstddef>

namespace ashlar::inline v0_1::nn::detail {

#if defined(__GNUC__) && !defined(__clang__)

// g++ evaluates a constexpr constructor at compile time, for local objects too, and then clears the whole union if its
// member is smaller than the union. It clears nothing if members without a value fill the union: empty types, as large
// as their alignment, which is a power of two.

inline constexpr std::size_t largest_alignment = std::size_t{1} << 28;  // of a type, for g++

consteval std::size_t largest_piece(std::size_t bytes) {
    return bytes < largest_alignment ? std::bit_floor(bytes) : largest_alignment;
}

template <std::size_t Bytes>
struct alignas(Bytes) empty_piece {};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpacked-not-aligned"
/// This many bytes, a power of two, at any address.
template <std::size_t Bytes>
union [[gnu::packed]] idle_piece {
    empty_piece<Bytes> nothing;
    std::byte byte;  // a class without members would be omitted

    constexpr idle_piece() noexcept : nothing{} {}
};
#pragma GCC diagnostic pop

/// As large as the memory that it replaces, and without a value: its construction writes nothing.
template <std::size_t Bytes>
struct idle_memory {
    idle_piece<largest_piece(Bytes)> head;
    idle_memory<Bytes - largest_piece(Bytes)> tail;

    constexpr idle_memory() noexcept : head(), tail() {}
};
template <std::size_t Bytes>
    requires(Bytes == largest_piece(Bytes))
struct idle_memory<Bytes> {
    idle_piece<Bytes> head;

    constexpr idle_memory() noexcept : head() {}
};

#else

/// Without a value: its construction writes nothing.
template <std::size_t Bytes>
struct idle_memory {};

#endif

}  // namespace ashlar::nn::detail
