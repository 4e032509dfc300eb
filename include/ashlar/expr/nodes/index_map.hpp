// SPDX-License-Identifier: BSL-1.0
// Where a node's elements lie in an operand, as one value: every shape operation says its map here, and here only.
//
// A map is a list of pieces. A piece takes some neighbouring axes of the node, counts their indices in row-major order
// to one number i, and finds number (first + i * step) / divisor, around the operand's axes where it wraps:
//
//     permute               one axis to one
//     slice, flip           one axis to one, with a step and a first entry that the running program knows
//     broadcast             one axis to an axis of one entry, or to none: step 0
//     repeat                one axis to one, divisor Times
//     roll                  one axis to one, first = extent - Shift, wraps
//     reshape               the smallest runs of axes with equal products, many to many
//
// Everything else follows: coordinates (nodes/coordinates.hpp), the axes that are carried, strides in memory and runs
// of equal steps (plan/graph/axis_map.hpp, column_blocks.hpp), steps and distances of lanes (eval/access), copies in
// constant expressions (eval/constant). All of these compose as maps do, node after node, so that chains need no form
// of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes.hpp>

namespace ashlar::detail {

/// Nodes that only say where their operand's elements are.
constexpr bool is_index_map(node_kind kind) {
    return kind == node_kind::permute || kind == node_kind::reshape || kind == node_kind::slice ||
           kind == node_kind::broadcast || kind == node_kind::repeat || kind == node_kind::roll;
}

/// What they are called.
constexpr const char* move_name(node_kind kind) {
    switch (kind) {
    case node_kind::permute: return "permute";
    case node_kind::reshape: return "reshape";
    case node_kind::slice: return "slice";
    case node_kind::broadcast: return "broadcast";
    case node_kind::repeat: return "repeat";
    default: return "roll";
    }
}

/// What the type of such a node says beside its shape.
template <std::size_t Rank = 0>
struct move_parameters {
    std::size_t axis = 0;     // slice, repeat, roll
    std::ptrdiff_t step = 1;  // slice: step, repeat: times, roll: shift
    std::array<std::size_t, Rank> permutation{};
};
template <class Node>
inline constexpr move_parameters<> move_of{};
template <auto Permutation, class Shape, class Expression>
inline constexpr auto move_of<permute_node<Permutation, Shape, Expression>> =
    move_parameters<Permutation.size()>{.permutation = Permutation};
template <std::size_t Axis, std::ptrdiff_t Step, class Shape, class Expression>
inline constexpr move_parameters<> move_of<slice_node<Axis, Step, Shape, Expression>>{.axis = Axis, .step = Step};
template <std::size_t Axis, std::size_t Times, class Shape, class Expression>
inline constexpr move_parameters<> move_of<repeat_node<Axis, Times, Shape, Expression>>{.axis = Axis, .step = Times};
template <std::size_t Axis, std::size_t Shift, class Shape, class Expression>
inline constexpr move_parameters<> move_of<roll_node<Axis, Shift, Shape, Expression>>{.axis = Axis, .step = Shift};

/// The axes [first, last) of a node, whose entries are found along the axes [operand_first, operand_last) of an
/// operand.
struct index_piece {
    std::size_t first = 0, last = 0, operand_first = 0, operand_last = 0;
    std::ptrdiff_t step = 1;
    std::ptrdiff_t offset = 0;
    std::ptrdiff_t divisor = 1;
    std::ptrdiff_t around = 0;  // entries of the axes that it wraps around, 0 if it does not
    bool shifted = false;       // begins at an entry that only the running program knows

    constexpr bool is_single() const { return last - first == 1 && operand_last - operand_first == 1; }
    /// Whether neighbours stay neighbours, `step` apart.
    constexpr bool is_affine() const { return divisor == 1 && around == 0; }
    /// The number in the operand of number i of the node; a shifted piece counts from its first entry.
    template <class Number>
    ASHLAR_ALWAYS_INLINE constexpr Number of(Number i) const {
        const Number moved =
            (static_cast<Number>(offset) + i * static_cast<Number>(step)) / static_cast<Number>(divisor);
        return around == 0 ? moved : moved % static_cast<Number>(around);
    }
};

template <std::size_t Capacity>
struct index_map {
    std::array<index_piece, Capacity> pieces{};
    std::size_t count = 0;

    constexpr const index_piece* begin() const { return pieces.data(); }
    constexpr const index_piece* end() const { return pieces.data() + count; }
    constexpr void single(std::size_t axis, std::size_t operand_axis, std::ptrdiff_t step = 1) {
        pieces[count++] = {axis, axis + 1, operand_axis, operand_axis + 1, step};
    }
};

/// The smallest runs of axes whose extents have equal products.
template <std::size_t Capacity, class Result, class Operand>
constexpr index_map<Capacity> align_reshape(const Result& result, const Operand& operand) {
    index_map<Capacity> map;
    std::size_t r = 0, o = 0;
    while (r < result.rank || o < operand.rank) {
        index_piece& piece = map.pieces[map.count++];
        piece.first = r;
        piece.operand_first = o;
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
    }
    return map;
}

/// The map of a node that moves elements.
template <std::size_t Capacity, class Permutation, class Result, class Operand>
constexpr index_map<Capacity> make_index_map(node_kind kind, std::size_t axis, std::ptrdiff_t step,
                                             const Permutation& permutation, const Result& result,
                                             const Operand& operand) {
    if (kind == node_kind::reshape) return align_reshape<Capacity>(result, operand);
    index_map<Capacity> map;
    if (kind == node_kind::permute) {
        for (std::size_t a = 0; a < result.rank; ++a) map.single(a, static_cast<std::size_t>(permutation[a]));
        return map;
    }
    const bool moves = kind == node_kind::slice || kind == node_kind::repeat || kind == node_kind::roll;
    const std::size_t shift = result.rank - operand.rank;
    for (std::size_t a = 0; a < operand.rank; ++a) map.single(a + shift, a, moves || operand.extents[a] != 1);
    if (!moves) return map;
    index_piece& along = map.pieces[axis];
    if (kind == node_kind::slice) {
        along.step = step;
        along.shifted = result.extents[axis] != operand.extents[axis] || step != 1;
    } else if (kind == node_kind::repeat) {
        along.divisor = step;
    } else {
        along.around = static_cast<std::ptrdiff_t>(operand.extents[axis]);
        along.offset = along.around - step;
    }
    return map;
}

/// The map from Node to its operand of shape From.
template <class Node, class From>
inline constexpr auto index_map_of = make_index_map<Node::shape_type::rank + From::rank + 1>(
    Node::kind, move_of<Node>.axis, move_of<Node>.step, move_of<Node>.permutation, typename Node::shape_type{}, From{});

}  // namespace ashlar::detail
