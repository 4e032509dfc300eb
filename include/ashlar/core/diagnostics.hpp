// SPDX-License-Identifier: BSL-1.0
// The named checks behind compile errors. Each has the offending values as template arguments, which compilers print.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/shape.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether an expression contains a refused operation, whose error has been reported already.
template <class Expression>
inline constexpr bool is_refused = false;

/// Whether a brace or array extent is that of the tensor.
template <std::size_t Given, std::size_t Expected>
struct brace_extent {
    static constexpr bool matches = Given == Expected;
};

/// Whether an expression can be assigned to a destination.
template <class Destination, class Source>
struct assigned_shape {
    static constexpr bool matches = shapes_agree<Destination, Source>();
};

/// Whether two shapes broadcast against each other.
template <class Left, class Right>
struct broadcast_shapes {
    static constexpr bool agree = shapes_broadcast<Left, Right>();
};

/// Whether the columns of the left operand are the rows of the right one.
template <auto LeftColumns, auto RightRows>
struct matmul_inner_axes {
    static constexpr bool agree = dimensions_agree(LeftColumns, RightRows);
};

/// Whether an axis argument names one axis of the shape.
template <auto Axis, class Shape>
struct axis_argument {
    static constexpr bool found = axis_position<Shape, Axis>() != no_axis;
};

/// Whether a reshape keeps the number of elements.
template <class From, class To>
struct reshape_count {
    static constexpr bool same = From::size == To::size;
};

/// Whether two operands have the same element type.
template <class Left, class Right>
struct element_types {
    static constexpr bool same = std::is_same_v<Left, Right>;
};

/// Whether the axis arguments name every axis of the shape once.
template <class Shape, auto... Axes>
struct permutation_of {
    static consteval bool check() {
        if (sizeof...(Axes) != Shape::rank) return false;
        std::array<bool, Shape::rank + 1> seen{};
        for (const std::size_t axis : {no_axis, axis_position<Shape, Axes>()...}) {
            if (axis == no_axis) continue;
            seen[axis] = true;
        }
        for (std::size_t i = 0; i < Shape::rank; ++i)
            if (!seen[i]) return false;
        return true;
    }
    static constexpr bool valid = check();
};

/// Whether a reshape leaves at most one dimension open.
template <auto... Dims>
struct reshape_dimensions {
    static constexpr bool at_most_one_unknown = (std::size_t{0} + ... + std::size_t{extent_of(Dims) == no_axis}) <= 1;
};

/// Whether new names keep the extents.
template <class From, class To>
struct renamed_extents {
    static consteval bool check() {
        if constexpr (From::rank != To::rank)
            return false;
        else
            return From::extents == To::extents;
    }
    static constexpr bool same = check();
};

/// Whether the axis to be squeezed has extent 1.
template <std::size_t Axis, auto Dim>
struct squeezed_axis {
    static constexpr bool is_one = extent_of(Dim) == 1;
};

/// Whether the result can have a new axis at this place.
template <auto Axis, std::size_t ResultRank>
struct new_axis_position {
    static constexpr bool valid = static_cast<std::ptrdiff_t>(Axis) < static_cast<std::ptrdiff_t>(ResultRank) &&
                                  static_cast<std::ptrdiff_t>(Axis) >= -static_cast<std::ptrdiff_t>(ResultRank);
};

/// Whether broadcasting a shape to another keeps the other.
template <class From, class To>
struct broadcast_target {
    static consteval bool check() {
        if constexpr (!shapes_broadcast<From, To>())
            return false;
        else
            return renamed_extents<broadcast_shape<From, To>, To>::same;
    }
    static constexpr bool fits = check();
};

/// Whether a slice, with negative positions counted from the end, is within the axis and not empty.
template <std::ptrdiff_t First, std::ptrdiff_t Last, std::ptrdiff_t Step, auto Dim>
struct slice_bounds {
    static constexpr std::ptrdiff_t extent = static_cast<std::ptrdiff_t>(extent_of(Dim));
    static constexpr std::ptrdiff_t first = First < 0 ? First + extent : First;
    static constexpr std::ptrdiff_t last = Last < 0 ? Last + extent : Last;
    static constexpr bool within =
        Step > 0 ? 0 <= first&& first < last&& last <= extent : Step < 0 && -1 <= last&& last < first&& first < extent;
};

/// Whether an axis splits into this many equal parts.
template <auto Dim, std::size_t Parts>
struct split_parts {
    static constexpr bool equal = Parts > 0 && extent_of(Dim) % (Parts > 0 ? Parts : 1) == 0;
};

/// Whether a shape has an axis of rows.
template <class Shape>
struct row_of {
    static constexpr bool exists = Shape::rank > 0;
};

/// Whether two shapes agree on every axis except one.
template <std::size_t Axis, class Left, class Right>
struct concatenated_shapes {
    static consteval bool check() {
        if constexpr (Left::rank != Right::rank)
            return false;
        else
            return []<std::size_t... Index>(std::index_sequence<Index...>) {
                return ((Index == Axis || dimensions_agree(dimension_at<Left, Index>, dimension_at<Right, Index>)) &&
                        ...);
            }(std::make_index_sequence<Left::rank>{});
    }
    static constexpr bool agree = check();
};

/// Whether the shapes to be stacked are equal.
template <class Left, class Right>
struct stacked_shapes {
    static constexpr bool agree = shapes_agree<Left, Right>();
};

/// Whether elements can be positions.
template <class Element>
struct index_elements {
    static constexpr bool are_integers = std::is_integral_v<Element> && !std::is_same_v<Element, bool>;
};

/// Whether the axis arguments name different axes.
template <class Shape, auto... Axes>
struct distinct_axes {
    static consteval bool check() {
        std::array<bool, Shape::rank + 1> seen{};
        for (const std::size_t axis : {no_axis, axis_position<Shape, Axes>()...}) {
            if (axis == no_axis) continue;
            if (seen[axis]) return false;
            seen[axis] = true;
        }
        return true;
    }
    static constexpr bool given = check();
};

/// Whether an operation on floating-point numbers has such operands.
template <class Element>
struct floating_elements {
    static constexpr bool given = std::is_floating_point_v<Element>;
};

}  // namespace ashlar::detail
