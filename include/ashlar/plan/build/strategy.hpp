// SPDX-License-Identifier: BSL-1.0
// How stages run, as the plan decides it: nothing about it is decided again where they run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ashlar::detail {

/// The tiles of rows that a stage runs over. Where the rows do not divide, the last tile has fewer of them, and a
/// strategy of its own.
inline constexpr std::size_t full_tile = 0, last_tile = 1, tile_kinds = 2;

/// What neighbouring stages do together.
enum class fusion : std::uint8_t {
    none,                         // they run one after the other
    register_softmax,             // a softmax of few rows between two products, in registers to the end
    register_softmax_of_vectors,  // the same, as the product of wide values reads it
    register_softmax_to_memory,   // the same, but for the product of its numerators
    softmax_into_product,         // exponentials of some rows beside the product of the rows before them
    statistics_into_map,          // of a few rows, applied while others are folded
};

constexpr bool in_registers(fusion how) {
    return how == fusion::register_softmax || how == fusion::register_softmax_of_vectors ||
           how == fusion::register_softmax_to_memory;
}

constexpr bool takes_turns(fusion how) {
    return how == fusion::softmax_into_product || how == fusion::statistics_into_map;
}

/// How an elementwise stage is walked.
enum class map_form : std::uint8_t {
    columns_in_lanes,  // row by row, or some rows together, some registers of columns at a time
    rows_in_lanes,     // column by column
    one_line,          // all elements in the order in which they lie: rows need not end at a register
    transposing_copy,  // rows become lanes, or lanes rows, of what lies in memory in the other order
};

struct map_strategy {
    map_form form = map_form::columns_in_lanes;
    std::uint8_t registers = 1;    // computed before the first of them is stored
    std::uint8_t rows = 1;         // together, as they read the same elements
    std::int16_t normalised = -1;  // a node whose row factors stay the same along a row
};

/// How a stage that folds rows is walked.
enum class row_form : std::uint8_t {
    columns_in_lanes,   // row by row, or some rows together
    rows_in_lanes,      // column by column
    groups_of_columns,  // few rows in lanes, several columns of which are one register
    one_row,            // rows that follow each other without gaps, folded as one
};

struct row_strategy {
    row_form form = row_form::columns_in_lanes;
    std::uint8_t together = 1;      // rows side by side, each along its columns
    std::uint8_t sums = 1;          // in flight, for each row or for the rows together
    std::uint8_t joined_lanes = 0;  // of each of several columns in one register, where rows leave most lanes idle
    bool in_place = false;          // numerators replace what they are made from
    bool whole_lines = false;       // lines of rows end at a full register: their last one is stored in full
};

/// How a stage runs over the rows of one tile.
struct stage_strategy {
    row_strategy rows{};
    map_strategy map{};
    bool outlined = false;  // in a function of its own, which costs the compiler less than one large one
};

}  // namespace ashlar::detail
