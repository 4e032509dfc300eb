// SPDX-License-Identifier: BSL-1.0
// Dimensions: integers, and named axes that are part of a tensor's type.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace ashlar {

/// A string literal as a structural type, so that it can stand among template arguments.
template <std::size_t N>
struct fixed_string {
    char text[N]{};

    consteval fixed_string(const char (&literal)[N]) {
        for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
    }
    /// Characters without the terminating zero.
    static constexpr std::size_t size() { return N - 1; }

    friend constexpr bool operator==(const fixed_string&, const fixed_string&) = default;
};

template <std::size_t N>
fixed_string(const char (&)[N]) -> fixed_string<N>;

/// A named dimension of extent N. Two named axes match only if name and extent are the same; a named axis matches an
/// anonymous dimension (an integer) of the same extent.
///
///     inline constexpr axis<"seq", 64> seq;
///     tensor<float, seq, 32> x;
template <fixed_string Name, std::size_t N>
struct axis {
    static constexpr std::size_t extent = N;
    static constexpr auto name = Name;

    friend constexpr bool operator==(const axis&, const axis&) = default;
};

namespace detail {

template <class T>
inline constexpr bool is_axis = false;
template <fixed_string Name, std::size_t N>
inline constexpr bool is_axis<axis<Name, N>> = true;

}  // namespace detail

/// What may stand as a dimension: an integer or an axis.
template <class T>
concept dimension = std::integral<std::remove_cv_t<T>> || detail::is_axis<std::remove_cv_t<T>>;

namespace detail {

/// An integer dimension becomes std::size_t, so that tensor<float, 6> and tensor<float, 6u> are one type.
template <dimension D>
consteval auto canonical(D d) {
    if constexpr (is_axis<D>)
        return d;
    else
        return static_cast<std::size_t>(d);
}

template <dimension D>
consteval std::size_t extent_of(D d) {
    if constexpr (is_axis<D>)
        return D::extent;
    else
        return static_cast<std::size_t>(d);
}

template <dimension A, dimension B>
consteval bool same_name(A, B) {
    if constexpr (is_axis<A> && is_axis<B>) {
        if constexpr (A::name.size() == B::name.size())
            return A::name == B::name;
        else
            return false;
    } else {
        return true;
    }
}

/// Whether two dimensions can stand for each other: the same extent, and no two different names.
template <dimension A, dimension B>
consteval bool dimensions_agree(A a, B b) {
    return extent_of(a) == extent_of(b) && same_name(a, b);
}

/// Of two dimensions that agree, the one with a name.
template <auto A, auto B>
consteval auto merge_dimensions() {
    if constexpr (is_axis<std::remove_cv_t<decltype(A)>>)
        return A;
    else
        return B;
}

}  // namespace detail
}  // namespace ashlar
