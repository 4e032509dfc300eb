// SPDX-License-Identifier: BSL-1.0
// Shapes as types: a list of dimensions, and the arithmetic on it that needs no tensor.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <ashlar/core/axis.hpp>

namespace ashlar {

/// The list of dimensions of a tensor or expression. Rank 0 is a scalar.
template <auto... Dims>
struct shape {
    static constexpr std::size_t rank = sizeof...(Dims);
    static constexpr std::array<std::size_t, rank> extents{detail::extent_of(Dims)...};
    static constexpr std::size_t size = (std::size_t{1} * ... * detail::extent_of(Dims));
};

namespace detail {

template <std::size_t I, auto D>
struct indexed_dimension {};

template <class Indices, auto... Dims>
struct indexed_dimensions;
template <std::size_t... I, auto... Dims>
struct indexed_dimensions<std::index_sequence<I...>, Dims...> : indexed_dimension<I, Dims>... {};

template <std::size_t I, auto D>
consteval auto dimension_of(indexed_dimension<I, D>) {
    return D;
}

template <class Shape>
struct shape_index;
template <auto... Dims>
struct shape_index<shape<Dims...>> : indexed_dimensions<std::make_index_sequence<sizeof...(Dims)>, Dims...> {};

template <class Shape>
inline constexpr bool has_names = true;
template <std::size_t... Extents>
inline constexpr bool has_names<shape<Extents...>> = false;

/// The I-th dimension of a shape: a std::size_t or an axis.
template <class Shape, std::size_t I>
inline constexpr auto dimension_at = dimension_of<I>(shape_index<Shape>{});
template <class Shape, std::size_t I>
    requires(!has_names<Shape>)
inline constexpr std::size_t dimension_at<Shape, I> = Shape::extents[I];

/// The same array, built from a full list of elements. Arrays that become template arguments must pass through here:
/// g++ 12 leaves zeros out of the mangled name of one that was filled element by element, and then takes the functions
/// of {0, 1} for those of {1, 0}.
template <class T, std::size_t N>
constexpr std::array<T, N> spelled_out(const std::array<T, N>& a) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::array<T, N>{a[I]...};
    }(std::make_index_sequence<N>{});
}

/// Row-major strides in elements.
template <std::size_t Rank>
consteval std::array<std::ptrdiff_t, Rank> row_major_strides(const std::array<std::size_t, Rank>& extents) {
    std::array<std::ptrdiff_t, Rank> strides{};
    std::ptrdiff_t step = 1;
    for (std::size_t i = Rank; i-- > 0;) {
        strides[i] = step;
        step *= static_cast<std::ptrdiff_t>(extents[i]);
    }
    return strides;
}

/// A shape whose I-th dimension is F.template operator()<I>(), for I below Rank.
template <std::size_t Rank, class F>
consteval auto build_shape(F f) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return shape<f.template operator()<I>()...>{};
    }(std::make_index_sequence<Rank>{});
}

/// The largest power of two, at most 64, that divides a size in bytes: the alignment that never needs padding.
consteval std::size_t alignment_for(std::size_t bytes, std::size_t at_least) {
    std::size_t alignment = 64;
    while (alignment > at_least && bytes % alignment != 0) alignment /= 2;
    return alignment;
}

inline constexpr std::size_t no_axis = static_cast<std::size_t>(-1);

/// The position that an axis argument names (a position, negative from the end, or a named axis that occurs once);
/// no_axis if there is none.
template <class Shape, auto Axis>
consteval std::size_t axis_position() {
    if constexpr (is_axis<std::remove_cv_t<decltype(Axis)>>) {
        return []<std::size_t... I>(std::index_sequence<I...>) {
            std::size_t found = no_axis, count = 0;
            const auto check = [&]<std::size_t K>() {
                if constexpr (is_axis<std::remove_cv_t<decltype(dimension_at<Shape, K>)>>)
                    if (same_name(dimension_at<Shape, K>, Axis) && extent_of(Axis) == extent_of(dimension_at<Shape, K>)) {
                        found = K;
                        ++count;
                    }
            };
            (check.template operator()<I>(), ...);
            return count == 1 ? found : no_axis;
        }(std::make_index_sequence<Shape::rank>{});
    } else {
        constexpr auto position = static_cast<std::ptrdiff_t>(Axis);
        constexpr auto rank = static_cast<std::ptrdiff_t>(Shape::rank);
        if constexpr (position >= 0 && position < rank) return static_cast<std::size_t>(position);
        if constexpr (position < 0 && position >= -rank) return static_cast<std::size_t>(position + rank);
        return no_axis;
    }
}

/// Whether dimension I of the broadcast result has an entry in a shape of smaller or equal rank, and which.
consteval std::size_t aligned_position(std::size_t i, std::size_t rank, std::size_t result_rank) {
    return i + rank >= result_rank ? i + rank - result_rank : no_axis;
}

template <auto A, auto B>
consteval bool dimensions_broadcast() {
    return extent_of(A) == 1 || extent_of(B) == 1 || dimensions_agree(A, B);
}

template <auto A, auto B>
consteval auto broadcast_dimension() {
    if constexpr (extent_of(A) == 1 && extent_of(B) != 1)
        return B;
    else if constexpr (extent_of(B) == 1 && extent_of(A) != 1)
        return A;
    else
        return merge_dimensions<A, B>();
}

template <class A, class B>
consteval bool shapes_broadcast() {
    if constexpr (std::is_same_v<A, B> || A::rank == 0 || B::rank == 0) {
        return true;
    } else {
        constexpr std::size_t rank = A::rank > B::rank ? A::rank : B::rank;
        return []<std::size_t... I>(std::index_sequence<I...>) {
            const auto one = []<std::size_t K>() {
                constexpr std::size_t a = aligned_position(K, A::rank, rank), b = aligned_position(K, B::rank, rank);
                if constexpr (a == no_axis || b == no_axis)
                    return true;
                else
                    return dimensions_broadcast<dimension_at<A, a>, dimension_at<B, b>>();
            };
            return (one.template operator()<I>() && ...);
        }(std::make_index_sequence<rank>{});
    }
}

template <class A, class B>
consteval auto broadcast_two() {
    if constexpr (std::is_same_v<A, B> || B::rank == 0) {
        return A{};
    } else if constexpr (A::rank == 0) {
        return B{};
    } else {
        constexpr std::size_t rank = A::rank > B::rank ? A::rank : B::rank;
        return build_shape<rank>([]<std::size_t K>() {
            constexpr std::size_t a = aligned_position(K, A::rank, rank), b = aligned_position(K, B::rank, rank);
            if constexpr (a == no_axis)
                return dimension_at<B, b>;
            else if constexpr (b == no_axis)
                return dimension_at<A, a>;
            else
                return broadcast_dimension<dimension_at<A, a>, dimension_at<B, b>>();
        });
    }
}

/// The shape of an elementwise result by NumPy's rule, aligned at the last axis.
template <class First, class... Rest>
struct broadcast_result {
    using type = First;
};
template <class A, class B, class... Rest>
struct broadcast_result<A, B, Rest...> {
    using type = typename broadcast_result<decltype(broadcast_two<A, B>()), Rest...>::type;
};
template <class... Shapes>
using broadcast_shape = typename broadcast_result<Shapes...>::type;

template <class A, class B>
consteval bool shapes_agree() {
    if constexpr (std::is_same_v<A, B>)
        return true;
    else if constexpr (A::rank != B::rank)
        return false;
    else
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return (true && ... && dimensions_agree(dimension_at<A, I>, dimension_at<B, I>));
        }(std::make_index_sequence<A::rank>{});
}

/// Axis I dropped, or kept as 1.
template <class Shape, std::size_t Axis, bool Keep>
consteval auto without_axis() {
    if constexpr (Keep)
        return build_shape<Shape::rank>([]<std::size_t K>() {
            if constexpr (K == Axis)
                return std::size_t{1};
            else
                return dimension_at<Shape, K>;
        });
    else
        return build_shape<Shape::rank - 1>([]<std::size_t K>() { return dimension_at<Shape, (K < Axis ? K : K + 1)>; });
}

/// One dimension replaced by another.
template <class Shape, std::size_t Axis, auto Dim>
consteval auto with_dimension() {
    return build_shape<Shape::rank>([]<std::size_t K>() {
        if constexpr (K == Axis)
            return Dim;
        else
            return dimension_at<Shape, K>;
    });
}

/// A dimension inserted before position Axis.
template <class Shape, std::size_t Axis, auto Dim>
consteval auto inserted_dimension() {
    return build_shape<Shape::rank + 1>([]<std::size_t K>() {
        if constexpr (K == Axis)
            return Dim;
        else
            return dimension_at<Shape, (K < Axis ? K : K - 1)>;
    });
}

}  // namespace detail
}  // namespace ashlar
