// SPDX-License-Identifier: BSL-1.0
// Elements that index maps scatter over memory, alike in every row: their offsets as constants.
//
// reshape(reverse(reshape(x))) exchanges neighbours. The distance from one element of a row to the next is not
// constant, but every row has the same distances, if the maps do not mix the row's axis with another one.
#pragma once

#include <ashlar/eval/frame.hpp>

namespace ashlar::inline v0_1::detail {

ASHLAR_BEGIN_OFFSETS

/// Offsets in elements from entry 0 of an axis to each other entry. Unknown if they differ from row to row or depend on
/// run-time numbers.
template <std::size_t Extent>
struct lane_offsets {
    bool known = false;
    std::array<std::int32_t, Extent> distance{};
};

/// Axes are followed through index maps up to this extent.
inline constexpr std::size_t most_lane_offsets = 512;

/// Follows one axis of node `id` through its index maps to the memory that stage Stage reads.
template <class Plan, stage_index Stage, std::size_t Extent>
constexpr lane_offsets<Extent> offsets_along(node_index id, std::size_t axis) {
    using coordinate_list = std::array<std::ptrdiff_t, max_rank>;
    const auto& stage = Plan::code.stages[Stage];
    lane_offsets<Extent> out;
    std::array<coordinate_list, Extent> at{};
    std::array<bool, max_rank> moves{};
    bool shifted = false;  // a slice begins somewhere that only the running program knows
    moves[axis] = true;
    for (std::size_t i = 0; i < Extent; ++i) at[i][axis] = static_cast<std::ptrdiff_t>(i);

    for (;;) {
        const graph_node& n = Plan::nodes[id];
        const buffer_index buffer = Plan::code.read_of(stage, id).values;
        if (buffer == no_buffer &&
            (n.kind == node_kind::let || n.kind == node_kind::let_value || n.kind == node_kind::store)) {
            id = n.same_as;
            continue;
        }
        if (buffer != no_buffer || n.kind == node_kind::array) {
            const axis_list& strides = buffer == no_buffer ? n.strides : Plan::code.buffers[buffer].strides;
            for (std::size_t i = 0; i < Extent; ++i) {
                std::ptrdiff_t sum = 0;
                for (std::size_t a = 0; a < n.rank; ++a) sum += at[i][a] * strides[a];
                out.distance[i] = static_cast<std::int32_t>(sum);
            }
            for (std::size_t i = Extent; i-- > 0;) out.distance[i] -= out.distance[0];
            out.known = true;
            return out;
        }
        if (!is_index_map(n.kind)) return out;
        const node_index below = n.operands[0];
        const graph_node& operand = Plan::nodes[below];
        std::array<bool, max_rank> moves_below{};
        std::array<coordinate_list, Extent> at_below{};
        for (const index_piece& piece : map_of(n, operand)) {
            bool any = false, all = true;
            for (std::size_t a = piece.first; a < piece.last; ++a) {
                any = any || moves[a];
                all = all && (moves[a] || n.extents[a] == 1);
            }
            if (!any || piece.step == 0) continue;
            const bool splits =
                !piece.is_single() && only_axis(operand, piece.operand_first, piece.operand_last) == operand.rank;
            shifted = shifted || piece.shifted;
            if (!all || (shifted && (splits || !piece.is_affine()))) return out;
            for (std::size_t a = piece.operand_first; a < piece.operand_last; ++a) moves_below[a] = true;
            for (std::size_t i = 0; i < Extent; ++i) {
                std::ptrdiff_t element = 0;
                for (std::size_t a = piece.first; a < piece.last; ++a)
                    element = element * static_cast<std::ptrdiff_t>(n.extents[a]) + at[i][a];
                element = static_cast<std::ptrdiff_t>(piece.of(static_cast<std::size_t>(element)));
                for (std::size_t a = piece.operand_last; a-- > piece.operand_first;) {
                    const auto extent = static_cast<std::ptrdiff_t>(operand.extents[a]);
                    at_below[i][a] += splits ? element % extent : extent == 1 ? 0 : element;
                    if (splits || extent != 1) element = splits ? element / extent : 0;
                }
            }
        }
        // One of a window's two axes may be fixed at a position that only the running program knows.
        for (const index_piece& piece : map_of(n, operand))
            for (std::size_t a = piece.operand_first; a < piece.operand_last; ++a)
                if (piece.is_single() && !moves[piece.first] && n.extents[piece.first] != 1 && moves_below[a])
                    shifted = true;
        moves = moves_below;
        at = at_below;
        id = below;
    }
}

ASHLAR_END_OFFSETS

}  // namespace ashlar::detail
