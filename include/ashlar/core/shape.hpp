// SPDX-License-Identifier: BSL-1.0
// Shapes as types: a list of dimensions, and the arithmetic on it that needs no tensor.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <ashlar/core/axis.hpp>

namespace ashlar::inline v0_1 {

/// The list of dimensions of a tensor or expression. Rank 0 is a scalar.
///
///     using matrix = shape<std::size_t{2}, std::size_t{3}>;
///     static_assert(matrix::rank == 2 && matrix::extents[1] == 3 && matrix::size == 6);
template <auto... Dims>
struct shape {
    static constexpr std::size_t rank = sizeof...(Dims);
    static constexpr std::array<std::size_t, rank> extents{detail::extent_of(Dims)...};
    static constexpr std::size_t size = (std::size_t{1} * ... * detail::extent_of(Dims));
};

namespace detail {

template <std::size_t Index, auto Dimension>
struct indexed_dimension {};

template <class Indices, auto... Dims>
struct indexed_dimensions;
template <std::size_t... Index, auto... Dims>
struct indexed_dimensions<std::index_sequence<Index...>, Dims...> : indexed_dimension<Index, Dims>... {};

template <std::size_t Index, auto Dimension>
consteval auto dimension_of(indexed_dimension<Index, Dimension>) {
    return Dimension;
}

template <class Shape>
struct shape_index;
template <auto... Dims>
struct shape_index<shape<Dims...>> : indexed_dimensions<std::make_index_sequence<sizeof...(Dims)>, Dims...> {};

template <class Shape>
inline constexpr bool has_names = true;
template <std::size_t... Extents>
inline constexpr bool has_names<shape<Extents...>> = false;

/// The Index-th dimension of a shape: a std::size_t or an axis.
template <class Shape, std::size_t Index>
inline constexpr auto dimension_at = dimension_of<Index>(shape_index<Shape>{});
template <class Shape, std::size_t Index>
    requires(!has_names<Shape>)
inline constexpr std::size_t dimension_at<Shape, Index> = Shape::extents[Index];

/// The same array, built from a full list of elements. Arrays that become template arguments must pass through here:
/// g++ 12 leaves zeros out of the mangled name of an array that was filled element by element, and then confuses the
/// functions of {0, 1} and {1, 0}.
template <class Element, std::size_t Count>
constexpr std::array<Element, Count> spelled_out(const std::array<Element, Count>& a) {
    return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        return std::array<Element, Count>{a[Index]...};
    }(std::make_index_sequence<Count>{});
}

/// Calls f.template operator()<Index>() for each index below Count, in order. clang refuses folds over more than 256
/// operands; a list of initial values may have any number.
template <std::size_t Count, class Function>
ASHLAR_ALWAYS_INLINE constexpr void for_each_index(const Function& f) {
    [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_LAMBDA_INLINE {
        [[maybe_unused]] const bool called[Count + 1] {(f.template operator()<Index>(), true)... };
    }(std::make_index_sequence<Count>{});
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

/// A shape whose Index-th dimension is Function.template operator()<Index>(), for Index below Rank.
template <std::size_t Rank, class Function>
consteval auto build_shape(Function f) {
    return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        return shape<f.template operator()<Index>()...> {};
    }(std::make_index_sequence<Rank>{});
}

/// The largest power of two, at most 64, that divides a size in bytes: the alignment that never needs padding.
consteval std::size_t alignment_for(std::size_t bytes, std::size_t at_least) {
    std::size_t alignment = 64;
    while (alignment > at_least && bytes % alignment != 0) alignment /= 2;
    return alignment;
}

inline constexpr std::size_t no_axis = static_cast<std::size_t>(-1);

/// The position of an axis argument (a position, negative from the end, or a named axis that occurs once); no_axis if
/// there is none.
template <class Shape, auto Axis>
consteval std::size_t axis_position() {
    if constexpr (is_axis<std::remove_cv_t<decltype(Axis)>>) {
        return []<std::size_t... Index>(std::index_sequence<Index...>) {
            std::size_t found = no_axis, count = 0;
            const auto check = [&]<std::size_t Place>() {
                if constexpr (is_axis<std::remove_cv_t<decltype(dimension_at<Shape, Place>)>>)
                    if (same_name(dimension_at<Shape, Place>, Axis) &&
                        extent_of(Axis) == extent_of(dimension_at<Shape, Place>)) {
                        found = Place;
                        ++count;
                    }
            };
            (check.template operator()<Index>(), ...);
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

/// Whether dimension Index of the broadcast result exists in a shape of smaller or equal rank, and which it is.
consteval std::size_t aligned_position(std::size_t i, std::size_t rank, std::size_t result_rank) {
    return i + rank >= result_rank ? i + rank - result_rank : no_axis;
}

template <auto Left, auto Right>
consteval bool dimensions_broadcast() {
    return extent_of(Left) == 1 || extent_of(Right) == 1 || dimensions_agree(Left, Right);
}

template <auto Left, auto Right>
consteval auto broadcast_dimension() {
    if constexpr (extent_of(Left) == 1 && extent_of(Right) != 1)
        return Right;
    else if constexpr (extent_of(Right) == 1 && extent_of(Left) != 1)
        return Left;
    else
        return merge_dimensions<Left, Right>();
}

template <class Left, class Right>
consteval bool shapes_broadcast() {
    if constexpr (std::is_same_v<Left, Right> || Left::rank == 0 || Right::rank == 0) {
        return true;
    } else {
        constexpr std::size_t rank = Left::rank > Right::rank ? Left::rank : Right::rank;
        return []<std::size_t... Index>(std::index_sequence<Index...>) {
            const auto one = []<std::size_t Place>() {
                constexpr std::size_t a = aligned_position(Place, Left::rank, rank),
                                      b = aligned_position(Place, Right::rank, rank);
                if constexpr (a == no_axis || b == no_axis)
                    return true;
                else
                    return dimensions_broadcast<dimension_at<Left, a>, dimension_at<Right, b>>();
            };
            return (one.template operator()<Index>() && ...);
        }(std::make_index_sequence<rank>{});
    }
}

template <class Left, class Right>
consteval auto broadcast_two() {
    if constexpr (std::is_same_v<Left, Right> || Right::rank == 0) {
        return Left{};
    } else if constexpr (Left::rank == 0) {
        return Right{};
    } else {
        constexpr std::size_t rank = Left::rank > Right::rank ? Left::rank : Right::rank;
        return build_shape<rank>([]<std::size_t Place>() {
            constexpr std::size_t a = aligned_position(Place, Left::rank, rank),
                                  b = aligned_position(Place, Right::rank, rank);
            if constexpr (a == no_axis)
                return dimension_at<Right, b>;
            else if constexpr (b == no_axis)
                return dimension_at<Left, a>;
            else
                return broadcast_dimension<dimension_at<Left, a>, dimension_at<Right, b>>();
        });
    }
}

/// The shape of an elementwise result by NumPy's rule, aligned at the last axis.
template <class First, class... Rest>
struct broadcast_result {
    using type = First;
};
template <class Left, class Right, class... Rest>
struct broadcast_result<Left, Right, Rest...> {
    using type = typename broadcast_result<decltype(broadcast_two<Left, Right>()), Rest...>::type;
};
template <class... Shapes>
using broadcast_shape = typename broadcast_result<Shapes...>::type;

template <class Left, class Right>
consteval bool shapes_agree() {
    if constexpr (std::is_same_v<Left, Right>)
        return true;
    else if constexpr (Left::rank != Right::rank)
        return false;
    else
        return []<std::size_t... Index>(std::index_sequence<Index...>) {
            return (true && ... && dimensions_agree(dimension_at<Left, Index>, dimension_at<Right, Index>));
        }(std::make_index_sequence<Left::rank>{});
}

/// Removes axis Index, or keeps it as 1.
template <class Shape, std::size_t Axis, bool Keep>
consteval auto without_axis() {
    if constexpr (Keep)
        return build_shape<Shape::rank>([]<std::size_t Place>() {
            if constexpr (Place == Axis)
                return std::size_t{1};
            else
                return dimension_at<Shape, Place>;
        });
    else
        return build_shape<Shape::rank - 1>(
            []<std::size_t Place>() { return dimension_at<Shape, (Place < Axis ? Place : Place + 1)>; });
}

/// One dimension replaced by another.
template <class Shape, std::size_t Axis, auto Dim>
consteval auto with_dimension() {
    return build_shape<Shape::rank>([]<std::size_t Place>() {
        if constexpr (Place == Axis)
            return Dim;
        else
            return dimension_at<Shape, Place>;
    });
}

/// A dimension inserted before position Axis.
template <class Shape, std::size_t Axis, auto Dim>
consteval auto inserted_dimension() {
    return build_shape<Shape::rank + 1>([]<std::size_t Place>() {
        if constexpr (Place == Axis)
            return Dim;
        else
            return dimension_at<Shape, (Place < Axis ? Place : Place - 1)>;
    });
}

}  // namespace detail
}  // namespace ashlar
