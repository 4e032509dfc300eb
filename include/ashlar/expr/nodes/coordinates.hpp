// SPDX-License-Identifier: BSL-1.0
// Maps the coordinates of a node's element to those of the operand's element it is made from.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/index_map.hpp>

namespace ashlar::inline v0_1::detail {

template <std::size_t Index, class Node>
using operand_type = decltype(operand_type_at<Index>(std::declval<const decltype(Node::operands)&>()));

/// One index for each axis of an expression.
template <class Expression>
using coordinates = std::array<std::size_t, Expression::shape_type::rank>;

/// The coordinates of element `i` in row-major order.
template <class Shape>
ASHLAR_ALWAYS_INLINE constexpr std::array<std::size_t, Shape::rank> coordinates_of_element(std::size_t i) noexcept {
    std::array<std::size_t, Shape::rank> at{};
    ASHLAR_UNROLL
    for (std::size_t done = 0; done < Shape::rank; ++done) {
        const std::size_t axis = Shape::rank - 1 - done;
        at[axis] = i % Shape::extents[axis];
        i /= Shape::extents[axis];
    }
    return at;
}

/// The row-major number of the element at `at`.
template <class Shape>
ASHLAR_ALWAYS_INLINE constexpr std::size_t element_of_coordinates(
    const std::array<std::size_t, Shape::rank>& at) noexcept {
    std::size_t i = 0;
    ASHLAR_UNROLL
    for (std::size_t axis = 0; axis < Shape::rank; ++axis) i = i * Shape::extents[axis] + at[axis];
    return i;
}

/// The coordinates, in an operand of shape `From` that was broadcast, of the result's element at `at`.
template <class From, std::size_t Rank>
ASHLAR_ALWAYS_INLINE constexpr std::array<std::size_t, From::rank> unbroadcast(
    const std::array<std::size_t, Rank>& at) noexcept {
    std::array<std::size_t, From::rank> from{};
    ASHLAR_UNROLL
    for (std::size_t axis = 0; axis < From::rank; ++axis)
        from[axis] = From::extents[axis] == 1 ? 0 : at[axis + Rank - From::rank];
    return from;
}

/// The piece of a map that is shifted, divided or wrapped; there is at most one.
consteval index_piece moving_piece(const auto& map) {
    for (const index_piece& piece : map)
        if (piece.shifted || !piece.is_affine()) return piece;
    return {};
}

/// The coordinates in operand Index of the node's element at `at`, for nodes that compute element by element or only
/// move elements. concat and take choose by value and are not among them.
template <std::size_t Index, class Node>
ASHLAR_ALWAYS_INLINE constexpr auto operand_coordinates(const Node& node, const coordinates<Node>& at) noexcept {
    using from = typename std::remove_cvref_t<decltype(node.template operand<Index>())>::shape_type;
    if constexpr (Node::kind == node_kind::reshape) {
        return coordinates_of_element<from>(element_of_coordinates<typename Node::shape_type>(at));
    } else if constexpr (Node::kind == node_kind::window) {
        constexpr auto map = index_map_of<Node, from>;
        std::array<std::size_t, from::rank> out{};
        ASHLAR_UNROLL
        for (std::size_t p = 0; p < map.count; ++p)
            out[map.pieces[p].operand_first] += map.pieces[p].of(at[map.pieces[p].first]);
        return out;
    } else if constexpr (!is_index_map(Node::kind) && std::is_same_v<from, typename Node::shape_type>) {
        return at;
    } else if constexpr (Node::kind == node_kind::broadcast || !is_index_map(Node::kind)) {
        return unbroadcast<from>(at);
    } else {
        constexpr auto map = index_map_of<Node, from>;
        std::array<std::size_t, from::rank> out{};
        ASHLAR_UNROLL
        for (std::size_t p = 0; p < map.count; ++p) out[map.pieces[p].operand_first] = at[map.pieces[p].first];
        constexpr index_piece moving = moving_piece(map);
        if constexpr (moving.last != 0) {
            std::size_t& entry = out[moving.operand_first];
            if constexpr (moving.shifted)
                entry =
                    static_cast<std::size_t>(node.first + moving.step * static_cast<std::ptrdiff_t>(at[moving.first]));
            else
                entry = moving.of(at[moving.first]);
        }
        return out;
    }
}

}  // namespace ashlar::detail
