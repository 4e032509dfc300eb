// SPDX-License-Identifier: BSL-1.0
// Chooses how stages that fold rows run: rows side by side, sums in flight, and the place of numerators.
#pragma once

#include <bit>

#include <ashlar/plan/choose/choose_map.hpp>
#include <ashlar/plan/choose/stage_facts.hpp>

namespace ashlar::inline v0_1::detail {

/// Sums in flight for each row: as many as hide the latency of an addition, if registers suffice. Two chains keep up
/// with exponentials. 16 registers hold the constants of an exponential and one sum, whose latency the exponential
/// hides.
constexpr std::size_t sums_in_flight(stage_kind kind, lane_axis lanes, const machine& target) {
    if (target.single_issue) return 1;
    if (kind == stage_kind::softmax && lanes == lane_axis::rows) return target.registers >= 32 ? 2 : 1;
    if (kind == stage_kind::standardize && lanes != lane_axis::rows) return target.registers >= 16 ? 8 : 4;
    return 4;
}

/// Lanes per column when several columns share a register, because the last rows of a tile leave most lanes idle and
/// numerators replace scores in place; otherwise 0.
constexpr std::size_t lanes_of_joined_columns(const softmax_facts& softmax, std::size_t rows, const machine& target) {
    const std::size_t idle = rows % softmax.width;
    if (!softmax.in_place || softmax.is_weighted || idle == 0 || !target.shuffles(softmax.element_bytes)) return 0;
    std::size_t part = std::bit_ceil(idle);
    if (part * softmax.element_bytes < machine::chunk_bytes) part = machine::chunk_bytes / softmax.element_bytes;
    return 2 * part <= softmax.width ? part : 0;
}

/// Columns up to which two registers of rows run side by side with one sum each: a loop over so few columns mostly
/// waits at its start and end. Narrow registers have no table of powers, and their constants leave no register for a
/// second sum.
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
        if (is_stored_in_groups(softmax, rows)) {
            how.form = row_form::groups_of_columns;
        } else {
            how.joined_lanes = static_cast<std::uint8_t>(lanes_of_joined_columns(softmax, rows, c.target));
            if (s.lanes == lane_axis::rows && walks_pairs(c, s, softmax, rows, how.sums)) how.together = 2;
        }
        // Otherwise g++ computes load and store addresses from the column: five instructions of 21 with AVX2. Two
        // registers of rows leave no register for an address. Lanes that are loops over scalars need no address, and
        // MVE has addressing modes.
        how.one_address = softmax.in_place && !softmax.is_weighted && how.sums == 1 &&
                          (c.target.single_issue ? softmax.width == 1 : softmax.width > 1) && how.together == 1;
    }
    if (s.fold_first != no_axis && s.lanes != lane_axis::rows && c.at(s.space).size() == rows * c.columns_of(s) &&
        is_flat(c, s, s.top))
        how.form = row_form::one_row;
    return how;
}

}  // namespace ashlar::detail
