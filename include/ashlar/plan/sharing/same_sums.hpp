// SPDX-License-Identifier: BSL-1.0
// Whether two plans of an expression add in the same order, so that their results have the same bits.
#pragma once

#include <array>
#include <cstddef>

#include <ashlar/plan/build/program.hpp>

namespace ashlar::detail {

/// Whether blocks of one vector have as many sums whatever their height is: a row may be in another block of the other
/// plan.
constexpr bool have_same_sums(const one_vector_chains& a, const one_vector_chains& b) {
    for (const std::uint8_t sums : {a.large, a.one_fewer, a.transposing, b.large, b.one_fewer, b.transposing})
        if (sums != 0 && a.large != 0 && sums != a.large) return false;
    return (a.large == 0) == (b.large == 0);
}
/// How many blocks there are does not change a sum; how many sums each of them has does.
constexpr bool have_same_sums(const product_cut& a, const product_cut& b) {
    return a.chains == b.chains && a.strip_steps == b.strip_steps && a.last_steps == b.last_steps &&
           a.packs == b.packs && a.transposing_chains == b.transposing_chains &&
           (a.chains == a.transposing_chains || a.transposing_rows == b.transposing_rows) &&
           have_same_sums(a.split_chains, b.split_chains) && have_same_sums(a.packed_chains, b.packed_chains);
}
constexpr bool have_same_sums(const product_strategy& a, const product_strategy& b) {
    // Sums of integers are exact in any order.
    if (a.rhs == rhs_source::quantized && b.rhs == rhs_source::quantized) return true;
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

/// The tiles that a stage runs over: full ones, and perhaps a last one.
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

/// Keys of a block that a stage takes at once, 0 if it takes all of them.
template <class Program>
constexpr std::size_t keys_at_once(const Program& plan, const plan_stage& s) {
    const loop_index loop = s.depth_loop != no_loop ? s.depth_loop : key_loop_of(plan, s);
    return loop == no_loop ? 0 : plan.loops[loop].tile;
}

/// Whether the order of sums depends on where tiles begin: where one tile's total is added to that of those before, and
/// where a key goes to one of several sums by its distance from the first that a tile's mask keeps.
constexpr bool sums_by_tiles(const plan_stage& s) {
    if (s.kind == stage_kind::reduce) return s.second_buffer != no_buffer;
    if (s.kind != stage_kind::product || !s.facts.ranged) return false;
    const product_strategy& how = s.how[full_tile].product;
    return how.form != product_form::blocks || how.cut.chains > 1;
}

/// Whether every stage sums as in the other plan: where its tiles have other rows there, in all of them alike.
template <class Left, class Right>
constexpr bool have_same_sums(const Left& a, const Right& b) {
    if (a.stage_count != b.stage_count || a.fusion_count != b.fusion_count) return false;
    for (std::size_t s = 0; s < a.stage_count; ++s) {
        const plan_stage &left = a.stages[s], &right = b.stages[s];
        if (left.kind != right.kind || left.lanes != right.lanes || left.width != right.width ||
            left.core != right.core || left.top != right.top || keys_at_once(a, left) != keys_at_once(b, right))
            return false;
        const auto in_left = tiles_of(a, left), in_right = tiles_of(b, right);
        const bool same_tiles = have_same_tiles(a, left, b, right);
        if (!same_tiles && sums_by_tiles(left)) return false;
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            if (same_tiles) {
                if (in_left[tile] && !have_same_sums(left.how[tile], right.how[tile])) return false;
                continue;
            }
            if (in_left[tile] && !have_same_sums(left.how[full_tile], left.how[tile])) return false;
            if (in_right[tile] && !have_same_sums(left.how[full_tile], right.how[tile])) return false;
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

/// Whether the rows of a loop may be computed in full tiles or in parts of them, and have the same bits.
template <class Program>
constexpr bool have_same_sums_in_parts(const Program& plan, loop_index loop) {
    const plan_loop& l = plan.loops[loop];
    if (l.part == 0 || 2 * l.part != l.tile) return false;
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        const plan_stage& stage = plan.stages[s];
        if (is_loop_inside(plan, stage.loop, loop) &&
            (sums_by_tiles(stage) || !have_same_sums(stage.how[full_tile], stage.how[last_tile])))
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
