// SPDX-License-Identifier: BSL-1.0
// Loops that copy elements: between strided memory, and by the index map of a node.
#pragma once

#include <array>
#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/coordinates.hpp>
#include <ashlar/expr/nodes/index_map.hpp>

namespace ashlar::inline v0_1::detail {

/// Strides of an operand of shape From for a result of shape Result: 0 along repeated axes.
template <class From, class Result>
consteval std::array<std::ptrdiff_t, Result::rank> broadcast_strides() {
    const auto dense = row_major_strides(From::extents);
    std::array<std::ptrdiff_t, Result::rank> strides{};
    for (std::size_t axis = 0; axis < From::rank; ++axis)
        if (From::extents[axis] != 1) strides[axis + Result::rank - From::rank] = dense[axis];
    return strides;
}

/// The products of the extents before, along and after an axis.
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
    /// Advances to the next coordinates in row-major order, of the first `Rank` axes; from the last ones to zero.
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

    /// Copies the elements at all coordinates below `extents`, each side with its own strides.
    template <class Element, class Other, std::size_t Rank>
    static constexpr void copy(const std::array<std::size_t, Rank>& extents, Element* to,
                               const std::array<std::ptrdiff_t, Rank>& to_strides, const Other* from,
                               const std::array<std::ptrdiff_t, Rank>& from_strides) noexcept {
        if constexpr (Rank == 0) {
            *to = static_cast<Element>(*from);
        } else {
            std::size_t rows = 1;
            for (std::size_t axis = 0; axis + 1 < Rank; ++axis) rows *= extents[axis];
            const std::ptrdiff_t to_step = to_strides[Rank - 1], from_step = from_strides[Rank - 1];
            std::array<std::size_t, Rank> at{};
            for (std::size_t row = 0; row < rows; ++row) {
                const std::ptrdiff_t to_row = offset(at, to_strides), from_row = offset(at, from_strides);
                for (std::size_t i = 0; i < extents[Rank - 1]; ++i) {
                    const auto column = static_cast<std::ptrdiff_t>(i);
                    to[to_row + column * to_step] = static_cast<Element>(from[from_row + column * from_step]);
                }
                advance<Rank - 1>(at, extents);
            }
        }
    }

    /// The elements of an index map, except a reshape, from the dense elements of its operand.
    template <class Node, class Element>
    static constexpr void move(const Node& node, const Element* from, Element* to) noexcept {
        using shape = typename Node::shape_type;
        using operand = typename operand_type<0, Node>::shape_type;
        constexpr auto map = index_map_of<Node, operand>;
        constexpr auto dense = row_major_strides(operand::extents);
        constexpr std::size_t last = shape::rank - 1;
        constexpr index_piece inner = [] {
            for (const index_piece& piece : index_map_of<Node, operand>)
                if (piece.first == last) return piece;
            return index_piece{};
        }();
        constexpr std::ptrdiff_t distance = inner.last == 0 ? 0 : dense[inner.operand_first];
        if constexpr (requires { node.first; }) from += node.first * dense[moving_piece(map).operand_first];
        std::size_t rows = 1;
        for (std::size_t axis = 0; axis < last; ++axis) rows *= shape::extents[axis];
        std::array<std::size_t, shape::rank> at{};
        for (std::size_t row = 0; row < rows; ++row) {
            const Element* source = from;
            for (const index_piece& piece : map)
                if (piece.first != last)
                    source += static_cast<std::ptrdiff_t>(piece.of(at[piece.first])) * dense[piece.operand_first];
            for (std::size_t i = 0; i < shape::extents[last]; ++i)
                if constexpr (inner.is_affine())
                    *to++ = source[static_cast<std::ptrdiff_t>(i) * (inner.step * distance)];
                else
                    *to++ = source[static_cast<std::ptrdiff_t>(inner.of(i)) * distance];
            advance<last>(at, shape::extents);
        }
    }
};

}  // namespace ashlar::detail
