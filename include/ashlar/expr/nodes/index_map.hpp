// SPDX-License-Identifier: BSL-1.0
// The map from a node's elements to those of its operand, as one value. Every shape operation defines its map here, and
// only here.
//
// A map is a list of pieces. A piece takes some neighbouring axes of the node, numbers their entries in row-major order
// by i, and maps i to number (first + i * step) / divisor of the operand's axes, modulo their size if it wraps:
//
//     permute               one axis to one
//     slice, flip           one axis to one, with a step and a first entry known only at run time
//     broadcast             one axis to an axis of one entry, or to none: step 0
//     repeat                one axis to one, divisor Times
//     roll                  one axis to one, first = extent - Shift, wraps
//     window                two axes to one, one piece each: their results are added
//     reshape               the smallest runs of axes with equal products, many to many
//
// Everything else is derived from it: coordinates (nodes/coordinates.hpp), the carried axes, strides in memory and runs
// of equal steps (plan/graph/axis_map.hpp, column_blocks.hpp), steps and distances of lanes (eval/access), copies in
// constant expressions (eval/constant). Maps compose node by node, so chains need no special case.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes.hpp>

namespace ashlar::inline v0_1::detail {

/// Nodes that only move the elements of their operand.
constexpr bool is_index_map(node_kind kind) {
    return kind == node_kind::permute || kind == node_kind::reshape || kind == node_kind::slice ||
           kind == node_kind::broadcast || kind == node_kind::repeat || kind == node_kind::roll ||
           kind == node_kind::window;
}

constexpr const char* move_name(node_kind kind) {
    switch (kind) {
    case node_kind::permute: return "permute";
    case node_kind::reshape: return "reshape";
    case node_kind::slice: return "slice";
    case node_kind::broadcast: return "broadcast";
    case node_kind::repeat: return "repeat";
    case node_kind::window: return "windows";
    default: return "roll";
    }
}

inline constexpr std::size_t max_rank = 8;
using axis_list = std::array<std::ptrdiff_t, max_rank>;

template <class Element, std::size_t Count>
constexpr axis_list as_axis_list(const std::array<Element, Count>& values) {
    axis_list list{};
    for (std::size_t i = 0; i < Count && i < max_rank; ++i) list[i] = static_cast<std::ptrdiff_t>(values[i]);
    return list;
}

/// A shape without its type.
struct axis_extents {
    std::uint8_t rank = 0;
    std::size_t extents[max_rank]{};
};
template <class Shape>
consteval axis_extents extents_of_axes() {
    static_assert(Shape::rank <= max_rank, "ashlar: expression: at most 8 axes; merge some with reshape");
    axis_extents axes{.rank = Shape::rank};
    for (std::size_t a = 0; a < Shape::rank; ++a) axes.extents[a] = Shape::extents[a];
    return axes;
}

/// The template parameters of such a node, except its shape.
struct move_parameters {
    std::size_t axis = 0;         // slice, repeat, roll, window
    std::ptrdiff_t step = 1;      // slice, window: step, repeat: times, roll: shift
    std::ptrdiff_t dilation = 1;  // window
    axis_list permutation{};
};
template <class Node>
inline constexpr move_parameters move_of{};
template <auto Permutation, class Shape, class Expression>
inline constexpr move_parameters move_of<permute_node<Permutation, Shape, Expression>>{.permutation =
                                                                                           as_axis_list(Permutation)};
template <std::size_t Axis, std::ptrdiff_t Step, class Shape, class Expression>
inline constexpr move_parameters move_of<slice_node<Axis, Step, Shape, Expression>>{.axis = Axis, .step = Step};
template <std::size_t Axis, std::size_t Times, class Shape, class Expression>
inline constexpr move_parameters move_of<repeat_node<Axis, Times, Shape, Expression>>{.axis = Axis, .step = Times};
template <std::size_t Axis, std::size_t Shift, class Shape, class Expression>
inline constexpr move_parameters move_of<roll_node<Axis, Shift, Shape, Expression>>{.axis = Axis, .step = Shift};

template <std::size_t Axis, std::size_t Step, std::size_t Dilation, class Shape, class Expression>
inline constexpr move_parameters move_of<window_node<Axis, Step, Dilation, Shape, Expression>>{
    .axis = Axis, .step = Step, .dilation = Dilation};

/// The axes [first, last) of a node, whose entries lie along the axes [operand_first, operand_last) of an operand.
struct index_piece {
    std::size_t first = 0, last = 0, operand_first = 0, operand_last = 0;
    std::ptrdiff_t step = 1;
    std::ptrdiff_t offset = 0;
    std::size_t divisor = 1;
    std::size_t around = 0;  // entries of the axes that it wraps around, 0 if it does not
    bool shifted = false;    // starts at an entry known only at run time

    constexpr bool is_single() const { return last - first == 1 && operand_last - operand_first == 1; }
    /// Whether neighbours stay neighbours, `step` apart.
    constexpr bool is_affine() const { return divisor == 1 && around == 0; }
    /// The operand's number for number i of the node; a shifted piece counts from its first entry.
    ASHLAR_ALWAYS_INLINE constexpr std::size_t of(std::size_t i) const {
        const std::size_t moved = (static_cast<std::size_t>(offset) + i * static_cast<std::size_t>(step)) / divisor;
        return around == 0 ? moved : moved % around;
    }
};

struct index_map {
    index_piece pieces[max_rank + 1]{};
    std::size_t count = 0;

    constexpr const index_piece* begin() const { return pieces; }
    constexpr const index_piece* end() const { return pieces + count; }
    constexpr void single(std::size_t axis, std::size_t operand_axis, std::ptrdiff_t step = 1) {
        pieces[count++] = {axis, axis + 1, operand_axis, operand_axis + 1, step};
    }
};

/// The smallest runs of axes whose extents have equal products.
constexpr index_map align_reshape(const axis_extents& result, const axis_extents& operand) {
    index_map map;
    std::size_t r = 0, o = 0;
    while (r < result.rank || o < operand.rank) {
        index_piece piece{.first = r, .operand_first = o};
        std::size_t in_result = 1, in_operand = 1;
        if (r < result.rank) in_result *= result.extents[r++];
        if (o < operand.rank) in_operand *= operand.extents[o++];
        while (in_result != in_operand) {
            if (in_result < in_operand)
                in_result *= result.extents[r++];
            else
                in_operand *= operand.extents[o++];
        }
        piece.last = r;
        piece.operand_last = o;
        map.pieces[map.count++] = piece;
    }
    return map;
}

/// The map of a node that moves elements.
constexpr index_map make_index_map(node_kind kind, const move_parameters& move, const axis_extents& result,
                                   const axis_extents& operand) {
    if (kind == node_kind::reshape) return align_reshape(result, operand);
    index_map map;
    if (kind == node_kind::permute) {
        for (std::size_t a = 0; a < result.rank; ++a) map.single(a, static_cast<std::size_t>(move.permutation[a]));
        return map;
    }
    if (kind == node_kind::window) {
        for (std::size_t a = 0; a < result.rank; ++a)
            map.single(a, a > move.axis ? a - 1 : a,
                       a == move.axis       ? move.step
                       : a == move.axis + 1 ? move.dilation
                                            : 1);
        return map;
    }
    const bool along_axis = kind == node_kind::slice || kind == node_kind::repeat || kind == node_kind::roll;
    const std::size_t shift = result.rank - operand.rank;
    for (std::size_t a = 0; a < operand.rank; ++a) map.single(a + shift, a, along_axis || operand.extents[a] != 1);
    if (!along_axis) return map;
    const std::size_t axis = move.axis;
    index_piece& along = map.pieces[axis];
    if (kind == node_kind::slice) {
        along.step = move.step;
        along.shifted = result.extents[axis] != operand.extents[axis] || move.step != 1;
    } else if (kind == node_kind::repeat) {
        along.divisor = static_cast<std::size_t>(move.step);
    } else {
        along.around = operand.extents[axis];
        along.offset = static_cast<std::ptrdiff_t>(along.around) - move.step;
    }
    return map;
}

/// The map from Node to its operand of shape From.
template <class Node, class From>
inline constexpr index_map index_map_of =
    make_index_map(Node::kind, move_of<Node>, extents_of_axes<typename Node::shape_type>(), extents_of_axes<From>());

}  // namespace ashlar::detail
