// SPDX-License-Identifier: BSL-1.0
// How nodes that only move elements read their operand, as strides, and the one loop that copies by them.
#pragma once

#include <array>
#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes.hpp>

namespace ashlar::detail {

/// Strides at which an operand of shape From is read for a result of shape Result: none along repeated axes.
template <class From, class Result>
consteval std::array<std::ptrdiff_t, Result::rank> broadcast_strides() {
    const auto dense = row_major_strides(From::extents);
    std::array<std::ptrdiff_t, Result::rank> strides{};
    for (std::size_t axis = 0; axis < From::rank; ++axis)
        if (From::extents[axis] != 1) strides[axis + Result::rank - From::rank] = dense[axis];
    return strides;
}

struct from_first_element {
    template <class Node>
    ASHLAR_ALWAYS_INLINE static constexpr std::ptrdiff_t first(const Node&) noexcept {
        return 0;
    }
};

/// How a node that moves elements reads the dense values of its operand: for `extents` of its result (of which an axis
/// may be split in two), at `strides` from element `first` on.
template <class Node>
struct element_move;
template <auto Permutation, class Shape, class Expression>
struct element_move<permute_node<Permutation, Shape, Expression>> : from_first_element {
    static constexpr auto extents = Shape::extents;
    static constexpr auto strides = [] {
        const auto dense = row_major_strides(Expression::shape_type::extents);
        std::array<std::ptrdiff_t, Shape::rank> moved{};
        for (std::size_t axis = 0; axis < Shape::rank; ++axis)
            moved[axis] = dense[static_cast<std::size_t>(Permutation[axis])];
        return moved;
    }();
};
template <std::size_t Axis, std::ptrdiff_t Step, class Shape, class Expression>
struct element_move<slice_node<Axis, Step, Shape, Expression>> {
    static constexpr auto extents = Shape::extents;
    ASHLAR_ALWAYS_INLINE static constexpr std::ptrdiff_t first(
        const slice_node<Axis, Step, Shape, Expression>& node) noexcept {
        constexpr auto dense = row_major_strides(Expression::shape_type::extents);
        return node.first * dense[Axis];
    }
    static constexpr auto strides = [] {
        auto moved = row_major_strides(Expression::shape_type::extents);
        moved[Axis] *= Step;
        return moved;
    }();
};
template <class Shape, class Expression>
struct element_move<broadcast_node<Shape, Expression>> : from_first_element {
    static constexpr auto extents = Shape::extents;
    static constexpr auto strides = broadcast_strides<typename Expression::shape_type, Shape>();
};
template <std::size_t Axis, std::size_t Times, class Shape, class Expression>
struct element_move<repeat_node<Axis, Times, Shape, Expression>> : from_first_element {
    static constexpr std::size_t rank = Shape::rank;
    static constexpr auto extents = [] {
        std::array<std::size_t, rank + 1> split{};
        for (std::size_t axis = 0; axis < rank; ++axis)
            split[axis < Axis ? axis : axis + 1] = Expression::shape_type::extents[axis];
        split[Axis] = Expression::shape_type::extents[Axis];
        split[Axis + 1] = Times;
        return split;
    }();
    static constexpr auto strides = [] {
        const auto dense = row_major_strides(Expression::shape_type::extents);
        std::array<std::ptrdiff_t, rank + 1> moved{};
        for (std::size_t axis = 0; axis < rank; ++axis) moved[axis < Axis ? axis : axis + 1] = dense[axis];
        moved[Axis] = dense[Axis];
        moved[Axis + 1] = 0;
        return moved;
    }();
};

/// The extents before, along and behind an axis, multiplied.
struct axis_surroundings {
    std::size_t outer, extent, inner;
};
template <class Shape, std::size_t Axis>
consteval axis_surroundings split_at() {
    axis_surroundings split{1, Shape::extents[Axis], 1};
    for (std::size_t axis = 0; axis < Axis; ++axis) split.outer *= Shape::extents[axis];
    for (std::size_t axis = Axis + 1; axis < Shape::rank; ++axis) split.inner *= Shape::extents[axis];
    return split;
}

template <class Config>
struct constant_moves {
    /// To the next coordinates in row-major order, of the first `Rank` axes; past the last ones back to zero.
    template <std::size_t Rank, std::size_t All>
    static constexpr void advance(std::array<std::size_t, All>& at,
                                  const std::array<std::size_t, All>& extents) noexcept {
        for (std::size_t axis = Rank; axis-- > 0;) {
            if (++at[axis] < extents[axis]) return;
            at[axis] = 0;
        }
    }

    template <std::size_t Rank>
    static constexpr std::ptrdiff_t offset(const std::array<std::size_t, Rank>& at,
                                           const std::array<std::ptrdiff_t, Rank>& strides) noexcept {
        std::ptrdiff_t sum = 0;
        for (std::size_t axis = 0; axis < Rank; ++axis) sum += static_cast<std::ptrdiff_t>(at[axis]) * strides[axis];
        return sum;
    }

    /// Copies the elements at all coordinates below `extents`, each side at its own strides.
    template <class Element, std::size_t Rank>
    static constexpr void copy(const std::array<std::size_t, Rank>& extents, Element* to,
                               const std::array<std::ptrdiff_t, Rank>& to_strides, const Element* from,
                               const std::array<std::ptrdiff_t, Rank>& from_strides) noexcept {
        if constexpr (Rank == 0) {
            *to = *from;
        } else {
            std::size_t rows = 1;
            for (std::size_t axis = 0; axis + 1 < Rank; ++axis) rows *= extents[axis];
            const std::ptrdiff_t to_step = to_strides[Rank - 1], from_step = from_strides[Rank - 1];
            std::array<std::size_t, Rank> at{};
            for (std::size_t row = 0; row < rows; ++row) {
                const std::ptrdiff_t to_row = offset(at, to_strides), from_row = offset(at, from_strides);
                for (std::size_t i = 0; i < extents[Rank - 1]; ++i) {
                    const auto column = static_cast<std::ptrdiff_t>(i);
                    to[to_row + column * to_step] = from[from_row + column * from_step];
                }
                advance<Rank - 1>(at, extents);
            }
        }
    }
};

}  // namespace ashlar::detail
