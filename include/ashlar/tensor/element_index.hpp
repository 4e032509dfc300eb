// SPDX-License-Identifier: BSL-1.0
// From indices to offsets: element access of tensors and views, with its checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether element access has one index for each axis.
template <std::size_t Given, std::size_t Rank>
struct index_count {
    static constexpr bool matches = Given == Rank;
};

/// Whether types can be indices: integers and what converts to them (integral constants, rank 0 tensors).
template <class... Index>
struct index_types {
    static constexpr bool are_integers =
        ((!std::is_floating_point_v<Index> && std::is_convertible_v<Index, std::ptrdiff_t>) && ...);
};

/// Whether a value of one type can initialise an element of another as literals do: without dropping a fraction.
template <class From, class To>
struct value_conversion {
    static constexpr bool keeps_fraction =
        !std::is_floating_point_v<computed<From>> || std::is_floating_point_v<computed<To>>;
};

/// Not constexpr, so that a constant expression that calls it does not compile and the error shows its name.
inline void index_out_of_range() noexcept {}
inline void value_out_of_range() noexcept {}

template <class Index>
ASHLAR_ALWAYS_INLINE constexpr bool index_below(Index index, std::size_t extent) noexcept {
    if constexpr (std::is_signed_v<Index>)
        if (index < 0) return false;
    return static_cast<std::uintmax_t>(index) < extent;
}

/// The index, checked in constant expressions always, and at run time with assertions.
template <class Config, class Index>
constexpr std::ptrdiff_t checked_index(const Index& index, std::size_t extent) noexcept {
    if constexpr (!std::is_integral_v<Index>) {
        static_assert(index_types<Index>::are_integers,
                      "ashlar: indexing: an index must be an integer; convert it first");
        return checked_index<Config, std::ptrdiff_t>(index, extent);
    } else {
        [[maybe_unused]] const bool inside = index_below(index, extent);
        if (__builtin_is_constant_evaluated() && !inside) index_out_of_range();
        ASHLAR_ASSERT(inside, "ashlar: indexing: an index must be at least 0 and less than the extent of its axis");
        return static_cast<std::ptrdiff_t>(index);
    }
}

/// The offset of the element at the given indices.
template <class Config, class Array, class... Index>
constexpr std::ptrdiff_t offset_of(const Index&... indices) noexcept {
    static_assert(index_count<sizeof...(Index), Array::shape_type::rank>::matches,
                  "ashlar: indexing: t(i, j, ...) takes one index for each axis; t[i] takes the first one");
    static_assert(index_types<Index...>::are_integers,
                  "ashlar: indexing: an index must be an integer; convert it first");
    std::ptrdiff_t offset = 0;
    if constexpr (sizeof...(Index) == Array::shape_type::rank && index_types<Index...>::are_integers) {
        [[maybe_unused]] std::size_t axis = 0;
        ((offset += checked_index<Config>(indices, Array::extents[axis]) * Array::strides[axis], ++axis), ...);
    }
    return offset;
}

/// Whether an integer keeps its value in another integer type.
template <class To, class From>
ASHLAR_ALWAYS_INLINE constexpr bool fits(From value) noexcept {
    if constexpr (std::is_same_v<To, bool>)
        return value == From{0} || value == From{1};
    else if constexpr (std::is_signed_v<From> && std::is_signed_v<To>)
        return value >= (std::numeric_limits<To>::min)() && value <= (std::numeric_limits<To>::max)();
    else if constexpr (std::is_signed_v<From>)
        return value >= 0 && fits<To>(static_cast<std::make_unsigned_t<From>>(value));
    else
        return value <= static_cast<std::make_unsigned_t<To>>((std::numeric_limits<To>::max)());
}

/// A value as an element, converted as literals are: 1 or 2.5 may be a float, but 2.5 not an int, nor 300 an
/// std::uint8_t.
template <class Config, class Element, class Other>
constexpr Element element_cast(Other value) noexcept {
    static_assert(value_conversion<Other, Element>::keeps_fraction,
                  "ashlar: tensor: a floating-point value for an integer element would lose its fraction; convert it");
    if constexpr (std::is_integral_v<Other> && std::is_integral_v<Element> && !std::is_same_v<Other, Element>) {
        [[maybe_unused]] const bool kept = fits<Element>(value);
        if (__builtin_is_constant_evaluated() && !kept) value_out_of_range();
        ASHLAR_ASSERT(kept, "ashlar: tensor: a value must fit the element type");
    }
    return static_cast<Element>(value);
}

/// Whether elements with these strides are contiguous in row-major order. Axes of extent 1 do not count.
template <std::size_t Rank>
consteval bool is_row_major(const std::array<std::size_t, Rank>& extents,
                            const std::array<std::ptrdiff_t, Rank>& strides) {
    std::ptrdiff_t step = 1;
    for (std::size_t i = Rank; i-- > 0;) {
        if (extents[i] != 1 && strides[i] != step) return false;
        step *= static_cast<std::ptrdiff_t>(extents[i]);
    }
    return true;
}

/// Whether some axis has a stride of zero: such elements can be read, but writing them is ambiguous.
template <std::size_t Rank>
consteval bool is_broadcast(const std::array<std::size_t, Rank>& extents,
                            const std::array<std::ptrdiff_t, Rank>& strides) {
    for (std::size_t i = 0; i < Rank; ++i)
        if (extents[i] != 1 && strides[i] == 0) return true;
    return false;
}

/// All but the first entry: the strides of a sub-view.
template <std::size_t Rank>
consteval auto without_first(const std::array<std::ptrdiff_t, Rank>& strides) {
    std::array<std::ptrdiff_t, Rank - 1> rest{};
    for (std::size_t i = 1; i < Rank; ++i) rest[i - 1] = strides[i];
    return spelled_out(rest);
}

/// Whether every extent is at least 1 and the bytes can be addressed.
template <std::size_t ElementBytes, auto... Dims>
struct tensor_extents {
    static consteval bool check() {
        std::size_t left = static_cast<std::size_t>(PTRDIFF_MAX) / ElementBytes;
        for (const std::size_t extent : {std::size_t{1}, extent_of(Dims)...}) {
            if (extent == 0 || extent > left) return false;
            left /= extent;
        }
        return true;
    }
    static constexpr bool valid = check();
};

}  // namespace ashlar::detail
