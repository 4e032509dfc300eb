// SPDX-License-Identifier: BSL-1.0
// Fuses the statistics of rows with the elementwise stage that applies them, a few rows at a time. Waits at the ends of
// rows overlap with the work of other rows, and rows are read again while they are in cache.
#pragma once

#include <ashlar/plan/choose/stage_facts.hpp>

namespace ashlar::inline v0_1::detail {

/// Bytes of a row beyond which rows run one after another: their ends matter little, and prefetchers follow one stream
/// better than several.
inline constexpr std::size_t most_bytes_side_by_side = 2048;

/// Rows that run side by side, each along its columns: waits at the ends of one overlap with the others.
constexpr std::size_t rows_side_by_side(const plan_context& c, const plan_stage& s) {
    if (c.width_of(s) == 1 || c.target.single_issue ||
        c.columns_of(s) * c.at(s.core).element_bytes > most_bytes_side_by_side)
        return 1;
    return c.target.registers >= 32 ? 4 : 2;
}

/// The first node, from the top down through elementwise nodes, whose row factors are constant along a row of a map;
/// no_node if there is none. Another use of a name may read other rows of its value.
constexpr node_index normalised_by(const plan_context& c, const plan_stage& map, node_index n) {
    const graph_node &g = c.at(n), &top = c.at(map.top);
    const bool factors = c.read_of(map, n).factors != no_buffer;
    if (g.kind == node_kind::scalar || g.kind == node_kind::let || g.kind == node_kind::let_value) return no_node;
    if ((g.kind == node_kind::array || c.read_of(map, n).values != no_buffer) && !factors) return no_node;
    if ((g.kind == node_kind::softmax || g.kind == node_kind::standardize) && factors) {
        bool same = map.space == map.top && g.rank == top.rank && g.axis == map.column_axis;
        for (std::size_t a = 0; same && a < g.rank; ++a) same = g.extents[a] == top.extents[a];
        if (same) return n;
        const bool reads_operand =
            g.kind == node_kind::standardize || g.variant != static_cast<std::uint8_t>(softmax_kind::plain);
        return reads_operand ? normalised_by(c, map, g.operands[0]) : no_node;
    }
    if (g.kind != node_kind::map && g.kind != node_kind::store) return no_node;
    for (std::size_t i = 0; i < g.operand_count; ++i)
        if (const node_index found = normalised_by(c, map, g.operands[i]); found != no_node) return found;
    return no_node;
}

/// Whether the two stages can run so for the rows of a tile: there are rows to work on while others wait, and the
/// factors are those of the current rows. The map writes memory that the statistics do not read; only softmax replaces
/// its operand.
constexpr bool fuses_statistics_into_map(const plan_context& c, const plan_stage& statistics, const plan_stage& map,
                                         std::size_t tile) {
    if ((statistics.kind != stage_kind::softmax && statistics.kind != stage_kind::standardize) ||
        statistics.lanes != lane_axis::columns || statistics.row_axis == no_axis || statistics.column_axis == no_axis)
        return false;
    if (map.kind != stage_kind::map || map.lanes != lane_axis::columns || map.row_axis != statistics.row_axis ||
        map.column_axis != statistics.column_axis || map.bindings != statistics.bindings ||
        c.read_of(map, statistics.core).factors != statistics.second_buffer)
        return false;
    const std::size_t rows = c.rows_of(statistics, tile);
    return rows >= 2 * rows_side_by_side(c, statistics) && c.rows_of(map, tile) == rows &&
           normalised_by(c, map, map.top) == statistics.core;
}

/// Whether numerators of some rows can overwrite those that have been used: no other stage reads them, and no address
/// depends on their distance from the first row.
constexpr bool reuses_rows(const plan_context& c, stage_index statistics, stage_index map) {
    const plan_stage& rows = c.plan.stages[statistics];
    if (rows.kind != stage_kind::softmax || rows.buffer == no_buffer ||
        c.plan.buffers[rows.buffer].role != buffer_role::numerators)
        return false;
    const loop_index loop = rows.bindings[rows.row_axis];
    if (loop == whole_axis) return false;
    for (stage_index s{}; s < c.plan.stage_count; ++s) {
        const plan_stage& stage = c.plan.stages[s];
        const bool here = s == statistics || s == map;
        bool breaks = false;
        c.each_buffer(stage, [&](buffer_index b) {
            const bool own = b == rows.buffer || b == rows.second_buffer;
            bool tiled = false;
            for (const loop_index bound : c.plan.buffers[b].bindings) tiled = tiled || bound == loop;
            breaks = breaks || (here ? tiled && !own : own);
        });
        if (breaks) return false;
    }
    return true;
}

/// Whether three passes over three groups of rows are one loop. Exponentials leave ports idle if as many rows of the
/// map are computed before one is stored. All passes run over the columns that a mask keeps for some row; the map would
/// need all columns.
constexpr bool is_one_loop(const plan_context& c, const plan_fusion& fused, std::size_t tile) {
    const plan_stage& softmax = c.plan.stages[fused.stages[1]];
    const std::size_t together = softmax.how[tile].rows.together;
    return softmax.kind == stage_kind::softmax && softmax.support == no_node && together >= 4 &&
           c.plan.stages[fused.stages[2]].how[tile].map.registers >= together;
}

/// Shrinks a buffer of a tile to this number of rows, if rows are stored one after the other.
constexpr void keep_rows(const plan_context& c, buffer_index buffer, loop_index loop, std::size_t rows) {
    plan_buffer& b = c.plan.buffers[buffer];
    const graph_node& node = c.at(b.node);
    for (std::size_t a = 0; a < node.rank; ++a) {
        if (b.bindings[a] != loop || b.strides[a] <= 0) continue;
        const std::size_t row = static_cast<std::size_t>(b.strides[a]) * node.element_bytes;
        const std::size_t width = c.target.lanes(node.element_bytes);
        // Buffers of one number per row end at a full register.
        const std::size_t kept = row == node.element_bytes ? (rows + width - 1) / width * width : rows;
        bool outermost = true;
        for (std::size_t o = 0; o < node.rank; ++o) outermost = outermost && b.strides[o] <= b.strides[a];
        if (outermost && kept * row < b.bytes) b.bytes = kept * row;
    }
}

}  // namespace ashlar::detail
