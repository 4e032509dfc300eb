// SPDX-License-Identifier: BSL-1.0
// What a plan consists of: loops, buffers and stages, as plain constants.
#pragma once

#include <ashlar/plan/build/product_facts.hpp>
#include <ashlar/plan/build/strategy.hpp>
#include <ashlar/plan/graph/axis_map.hpp>

namespace ashlar::detail {

/// A loop of the plan: over one entry at a time of a batch axis, over tiles of rows, or, inside of those, over tiles of
/// columns. The last tile of columns begins early enough to be a full one, and computes some columns again; so does
/// that of rows where `overlaps`.
struct plan_loop {
    std::int16_t parent = -1;
    std::size_t extent = 1;
    std::size_t tile = 1;
    bool rows = false;
    bool columns = false;
    bool overlaps = false;
    // The stage whose finished rows are staged beside the destination until the end of the tile, where the destination
    // is what the tile reads; -1 if they cannot be.
    std::int16_t staged = -1;

    /// Rows of a last tile that is no full one; 0 if there is none.
    constexpr std::size_t last_rows() const { return overlaps ? 0 : extent % tile; }
};

/// Keys are looked at in groups of this many when a mask decides which of them a tile needs.
inline constexpr std::size_t key_group = 16;

/// What a buffer holds for its node.
enum class buffer_role : std::uint8_t {
    values,      // the elements
    numerators,  // softmax: exp(x - maximum of the row)
    scales,      // softmax: 1 / sum of the numerators; log_softmax: log of the sum of exponentials
    means,       // standardize
    deviations,  // standardize: 1 / deviation
    maxima,      // softmax: the greatest element of each row
    state,       // reduce: what the tiles so far have given
    table,       // product: what its kernels pack of the operands, for one stage alone
};

/// Values of a node in scratch. An axis bound to a loop holds the current entry (or tile) only.
struct plan_buffer {
    std::int16_t node = -1;
    buffer_role role = buffer_role::values;
    binding_list bindings = all_whole;
    axis_list strides{};
    std::int16_t scope = -1;    // the loop inside which it is made, -1 for the outermost level
    std::int16_t storage = -1;  // the buffer whose memory it uses: itself, or the one it is computed in place of
    bool padded = false;        // lines along the axis of stride 1 end at a full register
    bool in_registers = false;  // of fused stages: it takes no memory
    std::size_t bytes = 0;
    std::size_t offset = 0;
    std::uint16_t first = 0, last = 0;  // items of its scope between which it lives
};

enum class stage_kind : std::uint8_t {
    map,          // elementwise, and copies between layouts
    product,      // a matrix product with an elementwise epilogue
    softmax,      // numerators and scales of rows
    standardize,  // means and deviations of rows
    reduce,       // rows folded
};

/// Which axis of a stage's (rows, columns) runs along the lanes.
enum class lane_axis : std::uint8_t {
    columns,
    rows,
    depth,  // products: one row at a time against rows of the right operand
};

/// One step of arithmetic: everything that happens between reading tiles and writing one.
template <std::size_t Count>
struct plan_stage {
    stage_kind kind = stage_kind::map;
    lane_axis lanes = lane_axis::columns;
    std::size_t width = 1;            // how many lanes
    std::int16_t top = -1;            // the node whose values are written
    std::int16_t core = -1;           // product: the matmul; softmax, standardize, reduce: the node itself
    std::int16_t space = -1;          // the node whose axes are the stage's coordinates
    std::int16_t loop = -1;           // the innermost loop around it
    std::int16_t buffer = -1;         // where it writes; -1: the destination or, with `store`, caller memory
    std::int16_t second_buffer = -1;  // reduce: its state from one tile to the next
    std::int16_t maxima = -1;         // softmax and the product before it: the greatest element of each row
    std::int16_t table = -1;          // product: scratch of its kernels
    std::int16_t store = -1;          // the store node whose destination it writes
    std::int16_t support = -1;        // the masked node outside whose kept pairs nothing is computed
    std::int16_t left_factor = -1;    // product: softmax node whose numerators are the left operand
    std::size_t row_axis = no_axis, column_axis = no_axis;  // of the space node
    std::size_t fold_first = no_axis,
                fold_last = no_axis;               // reduce: axes [first, last) of the space node, folded as one
    binding_list bindings = all_whole;             // of the space node's axes
    binding_list top_axes = all_whole;             // for each axis of top: the axis of space, or -1
    axis_list strides{};                           // of what it writes, by axis of top
    std::size_t column_block = 0;                  // product: columns of the right operand that lie in one block
    std::int16_t transposed_copy = -1;             // product: the stage whose copy of the right operand it makes itself
    std::ptrdiff_t origin = 0;                     // elements before the first one it writes
    bool fill_outside = false;                     // softmax: zeros outside the support are read by someone
    product_facts facts{};                         // product
    std::int16_t values[Count]{};                  // for each node: the buffer it is read from, or -1
    std::int16_t factors[Count]{};                 // for each node: the buffer of its row factors, or -1
    std::array<stage_strategy, tile_kinds> how{};  // for a full tile and for the last one
};

/// Bytes that the state of a reduction takes between two tiles: at most three numbers.
inline constexpr std::size_t fold_state_bytes = 32;

/// Stages that follow each other and, in some tiles, run as one.
struct plan_fusion {
    std::array<fusion, tile_kinds> how{};            // for a full tile and for the last one
    std::array<std::int16_t, 3> stages{-1, -1, -1};  // the last two run as one; what runs before them, or takes part
    bool reuses_rows = false;                        // a few rows of scratch serve all of the tile
    bool one_loop[tile_kinds] = {};                  // statistics_into_map: both, and the next rows, column by column

    /// Whether the last two stages take turns, so that one reads when the other has written.
    constexpr bool takes_turns() const {
        return detail::takes_turns(how[full_tile]) || detail::takes_turns(how[last_tile]);
    }
};

enum class item_kind : std::uint8_t { loop, stage, fused };

/// A loop, a stage or stages that are fused, at their place in the program.
struct plan_item {
    std::int16_t parent = -1;  // loop
    item_kind kind = item_kind::stage;
    std::int16_t index = 0;  // among the loops, stages or fusions

    constexpr bool is_loop() const { return kind == item_kind::loop; }
};

/// The stages of an item of a program; none of a loop.
template <class Program>
constexpr plan_fusion stages_of(const Program& plan, const plan_item& item) {
    if (item.kind == item_kind::fused) return plan.fusions[static_cast<std::size_t>(item.index)];
    plan_fusion alone;
    if (item.kind == item_kind::stage) alone.stages[0] = item.index;
    return alone;
}

/// A whole plan. Items with the same parent run in the order in which they stand.
template <std::size_t Count>
struct program {
    static constexpr std::size_t capacity = 3 * Count + 8;
    plan_loop loops[capacity]{};
    plan_buffer buffers[capacity]{};
    plan_stage<Count> stages[capacity]{};
    plan_item items[2 * capacity]{};
    plan_fusion fusions[capacity]{};
    std::size_t loop_count = 0, buffer_count = 0, stage_count = 0, item_count = 0, fusion_count = 0;
    std::size_t scratch_bytes = 0;
};

/// Whether a loop is `outer` or lies inside of it.
template <class Program>
constexpr bool is_loop_inside(const Program& plan, std::int16_t loop, std::int16_t outer) {
    for (; loop != -1; loop = plan.loops[static_cast<std::size_t>(loop)].parent)
        if (loop == outer) return true;
    return false;
}

}  // namespace ashlar::detail
