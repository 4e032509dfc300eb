// SPDX-License-Identifier: BSL-1.0
// How the coordinates of a node and of its operands change from lane to lane.
#pragma once

#include <ashlar/eval/frame.hpp>

namespace ashlar::inline v0_1::detail {

ASHLAR_BEGIN_OFFSETS

/// The change of each coordinate of a node from one lane to the next.
template <std::size_t Rank>
using lane_steps = std::array<std::ptrdiff_t, Rank>;

/// The steps of operand Index that follow from those of the node, if it moves elements by whole axes.
template <class Node, std::size_t Index>
consteval auto operand_steps(const graph_node& n, const graph_node& operand, const auto& steps) {
    lane_steps<operand_type<Index, Node>::shape_type::rank> out{};
    const axis_map from = carried_axes(n, operand, Index);
    for (std::size_t a = 0; a < operand.rank; ++a) {
        if (from[a] != no_axis) out[a] = steps[from[a]];
        // A normalised element reads its operand's element and its row's statistics.
        if ((n.kind == node_kind::softmax || n.kind == node_kind::standardize) && a == n.axis) out[a] = steps[a];
    }
    if (is_index_map(n.kind) && n.kind != node_kind::reshape) {
        for (const index_piece& piece : map_of(n, operand))
            if (piece.divisor == 1) out[piece.operand_first] = 0;
        for (const index_piece& piece : map_of(n, operand))
            if (piece.divisor == 1) out[piece.operand_first] += steps[piece.first] * piece.step;
    }
    return spelled_out(out);
}

/// How the lanes of an index map are arranged in its operand.
enum class lane_path : std::uint8_t {
    straight,  // at constant steps
    around,    // at constant steps, but for a jump from the axis' end to its beginning
    apart,     // each on its own
};

/// For lanes that move by `steps` along the axes of n.
constexpr lane_path path_of_lanes(const graph_node& n, const graph_node& operand, const auto& steps) {
    for (const index_piece& piece : map_of(n, operand))
        for (std::size_t a = piece.first; a < piece.last; ++a) {
            if (steps[a] == 0) continue;
            if (piece.around != 0) return lane_path::around;
            if (piece.divisor != 1) return lane_path::apart;
            if (n.kind == node_kind::reshape && n.extents[a] != 1 && carried_along(piece, n, operand).axis != a)
                return lane_path::apart;
        }
    return lane_path::straight;
}

ASHLAR_END_OFFSETS

}  // namespace ashlar::detail
