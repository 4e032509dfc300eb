// SPDX-License-Identifier: BSL-1.0
// Dimensions: integers, and named axes that are part of a tensor's type.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1 {

/// A string literal as a structural type, so that it can stand among template arguments.
///
///     constexpr fixed_string name = "seq";   // what axis<"seq", 64> takes as its first argument
///     static_assert(name.size() == 3);
template <std::size_t Extent>
struct fixed_string {
    char text[Extent]{};

    /// From a literal, at compile time only.
    consteval fixed_string(const char (&literal)[Extent]) {
        for (std::size_t i = 0; i < Extent; ++i) text[i] = literal[i];
    }
    /// Characters without the terminating zero.
    static constexpr std::size_t size() { return Extent - 1; }

    friend constexpr bool operator==(const fixed_string&, const fixed_string&) = default;
};

template <std::size_t Extent>
fixed_string(const char (&)[Extent]) -> fixed_string<Extent>;

/// A named dimension of extent Extent. Two named axes match only if name and extent are the same; a named axis matches
/// an anonymous dimension (an integer) of the same extent.
///
///     inline constexpr axis<"seq", 64> seq;
///     tensor<float, seq, 32> x;
template <fixed_string Name, std::size_t Extent>
struct axis {
    static constexpr std::size_t extent = Extent;
    static constexpr auto name = Name;

    friend constexpr bool operator==(const axis&, const axis&) = default;
};

namespace detail {

template <class Given>
inline constexpr bool is_axis = false;
template <fixed_string Name, std::size_t Extent>
inline constexpr bool is_axis<axis<Name, Extent>> = true;

}  // namespace detail

/// What may be a dimension: an integer or an axis.
template <class Given>
concept any_dimension = std::integral<std::remove_cv_t<Given>> || detail::is_axis<std::remove_cv_t<Given>>;

namespace detail {

/// An integer dimension becomes std::size_t, so that tensor<float, 6> and tensor<float, 6u> are one type.
template <any_dimension Dimension>
consteval auto canonical(Dimension d) {
    if constexpr (is_axis<Dimension>)
        return d;
    else
        return static_cast<std::size_t>(d);
}

template <any_dimension Dimension>
consteval std::size_t extent_of(Dimension d) {
    if constexpr (is_axis<Dimension>)
        return Dimension::extent;
    else
        return static_cast<std::size_t>(d);
}

template <any_dimension Left, any_dimension Right>
consteval bool same_name(Left, Right) {
    if constexpr (is_axis<Left> && is_axis<Right>) {
        if constexpr (Left::name.size() == Right::name.size())
            return Left::name == Right::name;
        else
            return false;
    } else {
        return true;
    }
}

/// Whether two dimensions match: the same extent, and no two different names.
template <any_dimension Left, any_dimension Right>
consteval bool dimensions_agree(Left a, Right b) {
    return extent_of(a) == extent_of(b) && same_name(a, b);
}

/// The named one of two matching dimensions.
template <auto Left, auto Right>
consteval auto merge_dimensions() {
    if constexpr (is_axis<std::remove_cv_t<decltype(Left)>>)
        return Left;
    else
        return Right;
}

}  // namespace detail
}  // namespace ashlar
