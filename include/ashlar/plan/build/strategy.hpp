// SPDX-License-Identifier: BSL-1.0
// How stages run: decided by the plan, and carried out by eval.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/plan/graph/indices.hpp>

namespace ashlar::inline v0_1::detail {

/// The tiles of rows of a stage. If the rows do not divide, the last tile has fewer of them and its own strategy.
inline constexpr std::size_t full_tile = 0, last_tile = 1, tile_kinds = 2;

/// How neighbouring stages run together.
enum class fusion : std::uint8_t {
    none,                         // they run one after the other
    register_softmax,             // a softmax of few rows between two products, in registers to the end
    register_softmax_of_vectors,  // the same, as the product of wide values reads it
    register_softmax_to_memory,   // the same, but for the product of its numerators
    statistics_into_map,          // of a few rows, applied while others are folded
    transposed_copy,              // the copy of a product's right operand, between its multiply-adds
};

constexpr bool in_registers(fusion how) {
    return how == fusion::register_softmax || how == fusion::register_softmax_of_vectors ||
           how == fusion::register_softmax_to_memory;
}

/// What a product's lanes and sums are.
enum class product_form : std::uint8_t {
    blocks,    // register blocks: one axis in lanes, the other one as scalars
    packed_k,  // few rows in lanes, and several depth steps of each of them side by side
    dots,      // depth in lanes: one row at a time against rows of the right operand
    integers,  // register blocks of integer sums, which are exact in any order
};

/// When the operations after a product are applied to its sums.
enum class epilogue_time : std::uint8_t {
    block_end,  // when a register block is done
    reloaded,   // when a register block is done and its sums have been stored, from the result
};

/// The unit in which a mask on top of a product skips what it does not keep.
enum class mask_edge : std::uint8_t {
    tiles,      // all rows of the tile
    registers,  // each register of rows
    halves,     // halves of registers: a block computes the halves that some row needs
    keys,       // each row and key: lanes are one row, and blocks in which a row needs none are left out
};

struct product_strategy {
    product_form form = product_form::blocks;
    std::uint8_t kernel = 0;  // a number of product_kernels
    epilogue_time epilogue = epilogue_time::block_end;
    mask_edge edge = mask_edge::tiles;
    bool writes_groups = false;    // packed_k: several columns are finished and stored as one register
    bool in_registers = false;     // from product to product in a fusion, without scratch
    bool streamed = false;         // operands come from behind the L1, call after call
    bool prefetches = false;       // what is read next: columns of the right operand, or panels
    std::uint8_t panels = 1;       // read side by side, and one fewer where the first runs of so many end
    std::uint8_t granule = 0;      // row blocks divide it: for the edges of a mask
    std::uint32_t panel_runs = 0;  // runs of so many panels; one fewer are read side by side after them
    std::uint8_t group = 1;        // elements of the depth in one multiply-add; rows of the left operand are copied
    std::uint16_t k_parts = 1;     // of the depth, one after the other, between which sums wait in the result
    packed_k_cut packed{};         // packed_k: few rows
    product_cut cut{};             // of all columns, of a block of columns, or of panels side by side
    product_cut fewer_panels{};    // of one panel fewer
    product_cut last_panel{};      // of what is left of the columns after whole panels
    stage_index next_weights = no_stage;  // the stage whose packed weights are read next
};

/// Runs of panels of a product; workers share its columns in these units.
constexpr std::size_t column_runs(const product_strategy& how, std::size_t columns, std::size_t panel) {
    const std::size_t whole = columns / panel, side_by_side = how.panel_runs * std::size_t{how.panels};
    const std::size_t fewer = side_by_side == whole ? 0 : (whole - side_by_side) / (how.panels - 1u);
    return how.panel_runs + fewer + (columns % panel != 0);
}

/// The loop of an elementwise stage.
enum class map_form : std::uint8_t {
    columns_in_lanes,  // row by row, or some rows together, some registers of columns at a time
    rows_in_lanes,     // column by column
    one_line,          // all elements in the order in which they lie: rows need not end at a register
    transposing_copy,  // rows become lanes, or lanes rows, of what lies in memory in the other order
};

struct map_strategy {
    map_form form = map_form::columns_in_lanes;
    std::uint8_t registers = 1;       // computed before the first of them is stored
    std::uint8_t rows = 1;            // together, as they read the same elements
    node_index normalised = no_node;  // a node whose row factors stay the same along a row
    /// Stores whole registers past all caches if the stage moves at least this many bytes, of arrays that differ from
    /// the destination at run time; 0: never.
    std::size_t past_caches = 0;
};

/// The loop of a stage that folds rows.
enum class row_form : std::uint8_t {
    columns_in_lanes,   // row by row, or some rows together
    rows_in_lanes,      // column by column
    groups_of_columns,  // few rows in lanes: several columns fill one register
    one_row,            // rows that follow each other without gaps, folded as one
};

struct row_strategy {
    row_form form = row_form::columns_in_lanes;
    std::uint8_t together = 1;      // rows side by side, or registers of them where rows are in lanes
    std::uint8_t sums = 1;          // in flight, for each row or for the rows together
    std::uint8_t joined_lanes = 0;  // of each of several columns in one register, where rows leave most lanes idle
    bool exact_keys = false;        // of what a mask keeps; otherwise whole groups of keys are folded
    bool whole_lines = false;       // lines of rows end at a full register: their last one is stored in full
    bool one_address = false;       // numerators are read and written by one address that moves on
};

/// How a stage runs over the rows of one tile.
struct stage_strategy {
    product_strategy product{};
    row_strategy rows{};
    map_strategy map{};
    bool outlined = false;    // in a function of its own, which costs the compiler less than one large one
    bool skips_rows = false;  // register blocks of rows at or beyond rows_below(n) are skipped
};

}  // namespace ashlar::detail
