// SPDX-License-Identifier: BSL-1.0
// Whether two plans of an expression add in the same order, so that their results have the same bits.
#pragma once

#include <array>
#include <cstddef>

#include <ashlar/plan/build/program.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether blocks of one vector have the same number of sums at any height: a row may be in another block of the other
/// plan.
constexpr bool have_same_sums(const one_vector_chains& a, const one_vector_chains& b) {
    for (const std::uint8_t sums : {a.large, a.one_fewer, a.transposing, b.large, b.one_fewer, b.transposing})
        if (sums != 0 && a.large != 0 && sums != a.large) return false;
    return (a.large == 0) == (b.large == 0);
}
/// The number of blocks does not change a sum; the number of sums per block does. A sum of -0 alone shows whether it
/// began as a product or from zero.
constexpr bool have_same_sums(const product_cut& a, const product_cut& b) {
    return a.chains == b.chains && a.multiplies_first == b.multiplies_first && a.strip_steps == b.strip_steps &&
           a.last_steps == b.last_steps && a.packs == b.packs && a.transposing_chains == b.transposing_chains &&
           (a.chains == a.transposing_chains || a.transposing_rows == b.transposing_rows) &&
           have_same_sums(a.split_chains, b.split_chains) && have_same_sums(a.packed_chains, b.packed_chains);
}
constexpr bool have_same_sums(const product_strategy& a, const product_strategy& b) {
    // Sums of integers are exact in any order.
    if (a.form == product_form::integers && b.form == product_form::integers) return true;
    return a.form == b.form && a.packed == b.packed && a.edge == b.edge && a.k_parts == b.k_parts &&
           a.group == b.group && a.panels == b.panels && a.panel_runs == b.panel_runs && have_same_sums(a.cut, b.cut) &&
           have_same_sums(a.fewer_panels, b.fewer_panels) && have_same_sums(a.last_panel, b.last_panel);
}
constexpr bool have_same_sums(const row_strategy& a, const row_strategy& b) {
    return a.form == b.form && a.sums == b.sums && a.joined_lanes == b.joined_lanes && a.exact_keys == b.exact_keys;
}
constexpr bool have_same_sums(const stage_strategy& a, const stage_strategy& b) {
    return have_same_sums(a.product, b.product) && have_same_sums(a.rows, b.rows) && a.map.form == b.map.form &&
           a.map.normalised == b.map.normalised;
}

/// The tiles of a stage: full ones, and perhaps a last one.
template <class Program>
constexpr std::array<bool, tile_kinds> tiles_of(const Program& plan, const plan_stage& s) {
    if (s.row_axis == no_axis || s.bindings[s.row_axis] == whole_axis) return {true, false};
    const plan_loop& loop = plan.loops[s.bindings[s.row_axis]];
    return {true, loop.rows && loop.last_rows() != 0};
}

/// Whether a stage has the same rows in each tile of both plans.
template <class Left, class Right>
constexpr bool have_same_tiles(const Left& a, const plan_stage& of_a, const Right& b, const plan_stage& of_b) {
    if (of_a.row_axis != of_b.row_axis) return false;
    if (of_a.row_axis == no_axis) return true;
    const loop_index left = of_a.bindings[of_a.row_axis], right = of_b.bindings[of_b.row_axis];
    if (left == whole_axis || right == whole_axis) return left == right;
    const plan_loop &in_a = a.loops[left], &in_b = b.loops[right];
    return in_a.extent == in_b.extent && in_a.tile == in_b.tile && in_a.overlaps == in_b.overlaps &&
           in_a.part == in_b.part && in_a.limits == in_b.limits;
}

/// Keys of a block that a stage processes at once; 0 for all keys.
template <class Program>
constexpr std::size_t keys_at_once(const Program& plan, const plan_stage& s) {
    const loop_index loop = s.depth_loop != no_loop ? s.depth_loop : key_loop_of(plan, s);
    return loop == no_loop ? 0 : plan.loops[loop].tile;
}

/// Whether the order of a product's sums depends on which rows share a register block. If a mask limits the depth, a
/// block begins with the keys that all its rows keep, adds those of single rows after them, and distributes keys over
/// several sums by their distance from the first. If a mask is on top of scores, blocks at its edge are computed by
/// single registers or halves of them, which have their own sums.
constexpr bool sums_by_blocks(const plan_stage& s, const product_strategy& how) {
    if (how.form != product_form::blocks) return s.facts.ranged;
    for (const product_cut& cut : {how.cut, how.fewer_panels, how.last_panel}) {
        if (s.facts.ranged && (s.facts.begins_apart || cut.chains > 1 || cut.strip_steps != 1)) return true;
        for (const std::uint8_t chains : {cut.split_chains.large, cut.split_chains.one_fewer})
            if (chains != 0 && chains != cut.chains) return true;
    }
    return how.edge == mask_edge::halves;
}

/// Rows of each register block of a product in a tile; 0 if they differ.
template <class Program>
constexpr std::size_t rows_of_blocks(const Program& plan, const plan_stage& s, std::size_t tile) {
    const plan_loop& loop = plan.loops[s.bindings[s.row_axis]];
    const product_cut& cut = s.how[tile].product.cut;
    const bool in_lanes = s.lanes == lane_axis::rows;
    const std::size_t rows = tile == full_tile ? loop.tile : loop.last_rows(),
                      blocks = in_lanes ? cut.vector_blocks : cut.row_blocks, unit = in_lanes ? s.facts.width : 1;
    return blocks != 0 && rows % (blocks * unit) == 0 ? rows / blocks : 0;
}

/// Whether the register blocks of a product are the same in these tiles of two plans, wherever a tile begins: they
/// divide the axis, and blocks of scores have the same keys.
template <class Left, class Right>
constexpr bool have_same_blocks(const Left& a, const plan_stage& of_a, std::size_t tile_a, const Right& b,
                                const plan_stage& of_b, std::size_t tile_b) {
    if (of_a.row_axis == no_axis || of_a.row_axis != of_b.row_axis) return false;
    const product_strategy &left = of_a.how[tile_a].product, &right = of_b.how[tile_b].product;
    const loop_index in_a = of_a.bindings[of_a.row_axis], in_b = of_b.bindings[of_b.row_axis];
    if (in_a == whole_axis || in_b == whole_axis || of_a.facts.right_is_packed) return false;
    if (of_a.lanes == lane_axis::rows && left.cut.row_blocks != right.cut.row_blocks) return false;
    const std::size_t rows = rows_of_blocks(a, of_a, tile_a);
    return rows != 0 && rows == rows_of_blocks(b, of_b, tile_b) && a.loops[in_a].extent % rows == 0;
}

/// Whether a stage adds in the same order in these tiles of two plans, for any rows.
template <class Left, class Right>
constexpr bool have_same_sums(const Left& a, const plan_stage& of_a, std::size_t tile_a, const Right& b,
                              const plan_stage& of_b, std::size_t tile_b) {
    const stage_strategy &left = of_a.how[tile_a], &right = of_b.how[tile_b];
    return have_same_sums(left, right) && (of_a.kind != stage_kind::product || !sums_by_blocks(of_a, left.product) ||
                                           have_same_blocks(a, of_a, tile_a, b, of_b, tile_b));
}

/// Whether the total of a tile is added to that of the tiles before it.
constexpr bool sums_by_tiles(const plan_stage& s) {
    return s.kind == stage_kind::reduce && s.second_buffer != no_buffer;
}

/// Whether every stage adds as in the other plan. If its tiles have other rows there, all tiles must add alike.
template <class Left, class Right>
constexpr bool have_same_sums(const Left& a, const Right& b) {
    if (a.stage_count != b.stage_count || a.fusion_count != b.fusion_count) return false;
    for (std::size_t s = 0; s < a.stage_count; ++s) {
        const plan_stage &left = a.stages[s], &right = b.stages[s];
        if (left.kind != right.kind || left.lanes != right.lanes || left.width != right.width ||
            left.core != right.core || left.top != right.top || left.factor != right.factor ||
            keys_at_once(a, left) != keys_at_once(b, right))
            return false;
        const auto in_left = tiles_of(a, left), in_right = tiles_of(b, right);
        const bool same_tiles = have_same_tiles(a, left, b, right);
        if (!same_tiles && sums_by_tiles(left)) return false;
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            if (same_tiles) {
                if (in_left[tile] && !have_same_sums(left.how[tile], right.how[tile])) return false;
                continue;
            }
            if (in_left[tile] && !have_same_sums(a, left, full_tile, a, left, tile)) return false;
            if (in_right[tile] && !have_same_sums(a, left, full_tile, b, right, tile)) return false;
        }
    }
    for (std::size_t f = 0; f < a.fusion_count; ++f) {
        const plan_fusion &left = a.fusions[f], &right = b.fusions[f];
        const plan_stage &of_left = a.stages[left.stages[1]], &of_right = b.stages[right.stages[1]];
        const auto in_left = tiles_of(a, of_left), in_right = tiles_of(b, of_right);
        const bool same_tiles = have_same_tiles(a, of_left, b, of_right);
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            if (same_tiles) {
                if (in_left[tile] && left.how[tile] != right.how[tile]) return false;
                continue;
            }
            if (in_left[tile] && left.how[tile] != left.how[full_tile]) return false;
            if (in_right[tile] && right.how[tile] != left.how[full_tile]) return false;
        }
    }
    return true;
}

/// Whether the rows of a loop have the same bits in full tiles and in parts of them.
template <class Program>
constexpr bool have_same_sums_in_parts(const Program& plan, loop_index loop) {
    const plan_loop& l = plan.loops[loop];
    if (l.part == 0 || 2 * l.part != l.tile) return false;
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        const plan_stage& stage = plan.stages[s];
        if (is_loop_inside(plan, stage.loop, loop) &&
            (sums_by_tiles(stage) || !have_same_sums(plan, stage, full_tile, plan, stage, last_tile)))
            return false;
    }
    for (std::size_t f = 0; f < plan.fusion_count; ++f) {
        const plan_fusion& fused = plan.fusions[f];
        if (is_loop_inside(plan, plan.stages[fused.stages[1]].loop, loop) &&
            fused.how[full_tile] != fused.how[last_tile])
            return false;
    }
    return true;
}

}  // namespace ashlar::detail
