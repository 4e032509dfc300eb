// SPDX-License-Identifier: BSL-1.0
// Operands whose columns are in blocks: contiguous inside each block, with a jump to the next one that no stride
// expresses.
#pragma once

#include <ashlar/plan/graph/axis_map.hpp>

namespace ashlar::inline v0_1::detail {

/// How many consecutive entries along an axis of node n have one stride in the array behind its index maps, counted
/// from any multiple of that number; 0 if the maps do not tell.
constexpr std::size_t run_along(const graph_node* nodes, node_index n, std::size_t axis) {
    const graph_node& g = nodes[n];
    if (g.kind == node_kind::array) return g.extents[axis];
    if (g.kind == node_kind::let || g.kind == node_kind::let_value) return run_along(nodes, g.same_as, axis);
    if (!is_index_map(g.kind)) return 0;
    const node_index below = g.operands[0];
    const graph_node& o = nodes[below];
    for (const index_piece& piece : map_of(g, o)) {
        const carried_axis carried = carried_along(piece, g, o);
        if (carried.axis == axis) return run_along(nodes, below, carried.operand_axis);
        if (g.kind != node_kind::reshape || axis < piece.first || axis >= piece.last) continue;
        std::size_t inner = piece.operand_last, innermost = piece.last;
        while (inner > piece.operand_first && o.extents[inner - 1] == 1) --inner;
        while (innermost > piece.first && g.extents[innermost - 1] == 1) --innermost;
        if (inner == piece.operand_first || innermost != axis + 1) return 0;
        const std::size_t whole = o.extents[inner - 1];
        if (run_along(nodes, below, inner - 1) != whole) return 0;
        return g.extents[axis] % whole == 0 ? whole : whole % g.extents[axis] == 0 ? g.extents[axis] : 0;
    }
    return 0;
}

}  // namespace ashlar::detail
