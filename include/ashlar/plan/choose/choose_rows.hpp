// SPDX-License-Identifier: BSL-1.0
// How stages that fold rows walk them: how many together, how many sums at a time, and where numerators go.
#pragma once

#include <bit>

#include <ashlar/plan/choose/choose_map.hpp>
#include <ashlar/plan/choose/stage_facts.hpp>

namespace ashlar::inline v0_1::detail {

/// Sums in flight for each row: as many as hide the latency of an addition where there are registers for them. Of
/// exponentials two chains keep up; sixteen registers hold their constants and one sum, whose chain they hide.
constexpr std::size_t sums_in_flight(stage_kind kind, lane_axis lanes, const machine& target) {
    if (target.single_issue) return 1;
    if (kind == stage_kind::softmax && lanes == lane_axis::rows) return target.registers >= 32 ? 2 : 1;
    if (kind == stage_kind::standardize && lanes != lane_axis::rows) return target.registers >= 16 ? 8 : 4;
    return 4;
}

/// Lanes of each of several columns that are put together in one register, where the last rows of a tile leave most of
/// its lanes idle and their numerators replace what they are made from; 0 if they are not.
constexpr std::size_t lanes_of_joined_columns(const softmax_facts& softmax, std::size_t rows, const machine& target) {
    const std::size_t idle = rows % softmax.width;
    if (!softmax.in_place || softmax.weighed || idle == 0 || !target.shuffles(softmax.element_bytes)) return 0;
    std::size_t part = std::bit_ceil(idle);
    if (part * softmax.element_bytes < machine::chunk_bytes) part = machine::chunk_bytes / softmax.element_bytes;
    return 2 * part <= softmax.width ? part : 0;
}

/// Columns up to which two registers of rows are walked side by side, where one sum of each is in flight: a walk along
/// so few is a wait at its beginning and one at its end. Narrow registers lack the table of powers, and their constants
/// leave no room for a second one.
inline constexpr std::size_t most_columns_of_pairs = 64, least_lanes_of_pairs = 8;

constexpr bool walks_pairs(const plan_context& c, const plan_stage& s, const softmax_facts& softmax, std::size_t rows,
                           std::size_t sums) {
    return sums == 1 && !c.target.single_issue && s.support == no_node && softmax.width >= least_lanes_of_pairs &&
           rows >= 2 * softmax.width && softmax.columns <= most_columns_of_pairs;
}

constexpr row_strategy choose_rows(const plan_context& c, const plan_stage& s, std::size_t tile) {
    const std::size_t rows = c.rows_of(s, tile);
    row_strategy how;
    how.sums = static_cast<std::uint8_t>(sums_in_flight(s.kind, s.lanes, c.target));
    if (s.lanes == lane_axis::rows)
        how.form = row_form::rows_in_lanes;
    else if (s.kind != stage_kind::reduce)
        how.together = static_cast<std::uint8_t>(rows_side_by_side(c, s));
    if (s.kind == stage_kind::softmax) {
        const softmax_facts softmax = facts_of_softmax(c, s);
        how.whole_lines = softmax.whole_lines;
        how.exact_keys = folds_exact_keys(c, s);
        if (lies_in_groups(softmax, rows)) {
            how.form = row_form::groups_of_columns;
        } else {
            how.joined_lanes = static_cast<std::uint8_t>(lanes_of_joined_columns(softmax, rows, c.target));
            if (s.lanes == lane_axis::rows && walks_pairs(c, s, softmax, rows, how.sums)) how.together = 2;
        }
        // Otherwise g++ computes where to read and where to write from the column: five instructions of 21 with AVX2.
        // Two registers of rows have no register left for it. Lanes that a compiler makes of a loop over scalars need
        // no address, and those of MVE have addressing modes.
        how.one_address = softmax.in_place && !softmax.weighed && how.sums == 1 &&
                          (c.target.single_issue ? softmax.width == 1 : softmax.width > 1) && how.together == 1;
    }
    if (s.fold_first != no_axis && s.lanes != lane_axis::rows && c.at(s.space).size() == rows * c.columns_of(s) &&
        is_flat(c, s, s.top))
        how.form = row_form::one_row;
    return how;
}

}  // namespace ashlar::detail
