// SPDX-License-Identifier: BSL-1.0
// By how much the coordinates of a node, and of what it reads, move from lane to lane.
#pragma once

#include <ashlar/eval/frame.hpp>

namespace ashlar::detail {

ASHLAR_BEGIN_OFFSETS

/// By how many indices each axis of a node moves from one lane to the next.
template <std::size_t Rank>
using lane_steps = std::array<std::ptrdiff_t, Rank>;

/// The steps of operand Index that follow from those of the node, where it moves elements by whole axes.
template <class Node, std::size_t Index>
consteval auto operand_steps(const graph_node& n, const graph_node& operand, const auto& steps) {
    lane_steps<operand_type<Index, Node>::shape_type::rank> out{};
    const binding_list from = carried_axes(n, operand, Index);
    for (std::size_t a = 0; a < operand.rank; ++a) {
        if (from[a] != whole_axis) out[a] = steps[static_cast<std::size_t>(from[a])];
        if (n.kind == node_kind::slice && a == n.axis) out[a] = steps[a] * n.step;
        if (n.kind == node_kind::roll && a == n.axis) out[a] = steps[a];  // for lanes that do not meet the seam
        // A normalised element reads its own operand's element beside its row's statistics.
        if ((n.kind == node_kind::softmax || n.kind == node_kind::standardize) && a == n.axis) out[a] = steps[a];
    }
    return spelled_out(out);
}

ASHLAR_END_OFFSETS

}  // namespace ashlar::detail
