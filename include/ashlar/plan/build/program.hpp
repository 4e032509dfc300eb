// SPDX-License-Identifier: BSL-1.0
// The parts of a plan: loops, buffers and stages, as plain constants.
#pragma once

#include <ashlar/plan/build/entry_limits.hpp>
#include <ashlar/plan/build/product_facts.hpp>
#include <ashlar/plan/build/strategy.hpp>
#include <ashlar/plan/graph/axis_map.hpp>

namespace ashlar::inline v0_1::detail {

/// A lifetime: a range of stages in execution order.
struct time_span {
    std::size_t first = 0, last = 0;
    bool used = false;

    constexpr void add(const time_span& o) {
        if (!used || o.first < first) first = o.first;
        if (!used || o.last > last) last = o.last;
        used = true;
    }
    constexpr bool meets(const time_span& o) const { return used && o.used && first <= o.last && o.first <= last; }
};

/// A loop of the plan: over single entries of a batch axis, over tiles of rows, or inside those over tiles of columns.
/// The last tile of columns begins early enough to be full and computes some columns again. So does the last tile of
/// rows if `overlaps`.
struct plan_loop {
    loop_index parent = no_loop;
    std::size_t extent = 1;
    std::size_t tile = 1;
    bool rows = false;
    bool columns = false;
    bool overlaps = false;
    bool is_closed = false;  // while the program is made: nothing is added inside
    bool is_shared = false;  // several workers may each run some of its turns
    bool keys = false;       // of columns: blocks of the keys of an attention, see choose/block_keys.hpp
    bool is_split = false;   // its turns run one after the other, and workers share what each of them does
    time_span runs{};
    entry_limits limits{};            // where it stops when the program runs; none: at its end
    std::size_t part = 0;             // rows of a smaller tile with which it may stop; 0 if there is none
    std::size_t root_axis = no_axis;  // of limited programs: the axis of the result that it runs over
    // The stage whose finished rows are staged until the end of the tile if the destination is an operand of the tile;
    // no_stage if they cannot be.
    stage_index staged = no_stage;

    /// Rows of an incomplete last tile; 0 if there is none.
    constexpr std::size_t last_rows() const { return part != 0 ? part : overlaps ? 0 : extent % tile; }
};

/// The role of a buffer for its node.
enum class buffer_role : std::uint8_t {
    values,          // the elements
    numerators,      // softmax: exp(x - maximum of the row)
    scales,          // softmax: 1 / sum of the numerators; log_softmax: log of their sum
    means,           // standardize
    deviations,      // standardize: 1 / deviation
    maxima,          // softmax, log_softmax: the greatest element of each row
    state,           // reduce: what the tiles so far have given
    table,           // product: what its kernels pack of the operands, for one stage alone; matrix: what they work on
    running_maxima,  // softmax in blocks of keys: the greatest element of each row so far
    corrections,     // what sums so far are multiplied by, since the greatest element has grown
    waiting,         // product: its sums so far, between two blocks of its depth
};

/// Values of a node in scratch. If an axis is bound to a loop, the buffer holds only the current entry or tile.
struct plan_buffer {
    node_index node = no_node;
    buffer_role role = buffer_role::values;
    binding_list bindings = all_whole;
    axis_list strides{};
    loop_index scope = no_loop;        // the loop inside which it is made, no_loop for the outermost level
    buffer_index storage = no_buffer;  // the buffer whose memory it uses: itself, or the one it is computed in place of
    bool padded = false;               // lines along the axis of stride 1 end at a full register
    bool in_registers = false;         // of fused stages: it takes no memory
    bool of_worker = false;            // each of several workers has its own
    std::size_t bytes = 0;
    std::size_t offset = 0;
    time_span lifetime{};
};

enum class stage_kind : std::uint8_t {
    map,          // elementwise, and copies between layouts
    product,      // a matrix product with an elementwise epilogue
    softmax,      // numerators and scales of rows
    standardize,  // means and deviations of rows
    reduce,       // rows folded
    matrix,       // functions of square matrices
};

/// Which axis of a stage (rows, columns, depth) is in the lanes.
enum class lane_axis : std::uint8_t {
    columns,
    rows,
    depth,  // products: one row at a time against rows of the right operand
};

/// The buffers from which a stage reads a node.
struct node_read {
    buffer_index values = no_buffer, factors = no_buffer;  // factors: those of its rows
};

/// Where the factor of scores is applied if their softmax uses powers of two.
enum class score_factor : std::uint8_t {
    none,
    in_scores,  // the product of the scores multiplies it by log2(e)
    in_rows,    // the stage that makes the product's left operand multiplies that by it and by log2(e)
    taken_out,  // the product of the scores leaves it out, as its left operand has it already
};

/// One step of arithmetic: everything between reading tiles and writing one.
struct plan_stage {
    stage_kind kind = stage_kind::map;
    lane_axis lanes = lane_axis::columns;
    std::size_t width = 1;                    // how many lanes
    node_index top = no_node;                 // the node whose values are written
    node_index core = no_node;                // product: the matmul; softmax, standardize, reduce, matrix: the node
    node_index space = no_node;               // the node whose axes are the stage's coordinates
    loop_index loop = no_loop;                // the innermost loop around it
    buffer_index buffer = no_buffer;          // where it writes; none: the destination or, with `store`, caller memory
    buffer_index second_buffer = no_buffer;   // reduce: its state from one tile to the next
    buffer_index maxima = no_buffer;          // softmax and the product before it: the greatest element of each row
    buffer_index table = no_buffer;           // product, matrix: scratch of its kernels
    buffer_index running_maxima = no_buffer;  // softmax, in blocks of keys
    buffer_index corrections = no_buffer;     // softmax, and the product of its numerators, in blocks of keys
    buffer_index waiting = no_buffer;         // the latter: its sums between two blocks
    loop_index depth_loop = no_loop;          // the latter: the loop over these blocks, which are its depth
    node_index store = no_node;               // the store node whose destination it writes
    node_index support = no_node;             // the masked node outside whose kept pairs nothing is computed
    node_index left_factor = no_node;         // product: softmax node whose numerators are the left operand
    std::size_t row_axis = no_axis, column_axis = no_axis;  // of the space node
    std::size_t fold_first = no_axis,
                fold_last = no_axis;           // reduce: axes [first, last) of the space node, folded as one
    binding_list bindings = all_whole;         // of the space node's axes
    axis_map top_axes = no_axes;               // for each axis of top: the axis of space
    axis_list strides{};                       // of what it writes, by axis of top
    std::size_t column_block = 0;              // product: columns of the right operand that lie in one block
    stage_index transposed_copy = no_stage;    // product: the stage whose copy of the right operand it makes itself
    std::ptrdiff_t origin = 0;                 // elements before the first one it writes
    bool powers_of_two = false;                // softmax: its operand is a logarithm of base two
    score_factor factor = score_factor::none;  // product and what makes its left operand
    node_index scaling = no_node;  // of these: the product by a scalar, or the quotient, whose factor it is; none: 1
    bool fill_outside = false;     // softmax: zeros outside the support are read by someone
    bool loads_conditionally = false;  // registers without an element that a condition chooses are not read
    product_facts facts{};             // product
    bool shares_columns = false;       // product: several workers may each compute some of its columns
    time_span runs{};
    std::size_t first_read = 0;                    // of its reads, one for each node, among those of the program
    std::array<stage_strategy, tile_kinds> how{};  // for a full tile and for the last one
};

/// Bytes of the state of a reduction between two tiles: at most three numbers.
inline constexpr std::size_t fold_state_bytes = 32;

/// Consecutive stages that run as one in some tiles.
struct plan_fusion {
    std::array<fusion, tile_kinds> how{};  // for a full tile and for the last one
    std::array<stage_index, 3> stages{no_stage, no_stage,
                                      no_stage};  // the last two run as one; what runs before them, or takes part
    bool reuses_rows = false;                     // a few rows of scratch serve all of the tile
    bool one_loop[tile_kinds] = {};               // statistics_into_map: both, and the next rows, column by column

    /// Whether the last two stages alternate, so that one reads when the other has written.
    constexpr bool alternates() const {
        return how[full_tile] == fusion::statistics_into_map || how[last_tile] == fusion::statistics_into_map;
    }
};

/// A loop, a stage or fused stages, at their place in the program.
struct plan_item {
    loop_index parent = no_loop;  // loop
    loop_index loop = no_loop;
    stage_index stage = no_stage;
    fusion_index fused = no_fusion;

    constexpr bool is_loop() const { return loop != no_loop; }
};

/// The stages of an item of a program; none for a loop.
template <class Program>
constexpr plan_fusion stages_of(const Program& plan, const plan_item& item) {
    if (item.fused != no_fusion) return plan.fusions[item.fused];
    plan_fusion alone;
    alone.stages[0] = item.stage;
    return alone;
}

/// The used lengths of a program's arrays, and the bytes of its buffers.
struct program_counts {
    std::size_t loop_count = 0, buffer_count = 0, stage_count = 0, item_count = 0, fusion_count = 0;
    std::size_t scratch_bytes = 0;
    std::size_t tile_bytes = 0;    // that buffers made for a tile of rows occupy
    std::size_t worker_bytes = 0;  // of scratch, after the rest of it, that each worker needs for itself

    /// Whether scratch suffices for a program with other counts, for as many workers.
    constexpr bool needs_no_more_than(const program_counts& o) const {
        return scratch_bytes <= o.scratch_bytes && worker_bytes <= o.worker_bytes;
    }
};

/// A whole plan in arrays that its owner provides, so that passes over it are not templates. Items with the same parent
/// run in their order in the array.
struct program : program_counts {
    plan_loop* loops;
    plan_buffer* buffers;
    plan_stage* stages;
    plan_item* items;
    plan_fusion* fusions;
    node_read* reads;
    std::size_t node_count;

    constexpr node_read& read_of(const plan_stage& s, node_index n) const { return reads[s.first_read + n]; }
};

/// The arrays of a program of this many nodes during its construction.
template <std::size_t Count>
struct program_arrays : program_counts {
    static constexpr std::size_t capacity = 3 * Count + 8;
    plan_loop loops[capacity]{};
    plan_buffer buffers[capacity]{};
    plan_stage stages[capacity]{};
    plan_item items[2 * capacity]{};
    plan_fusion fusions[capacity]{};
    node_read reads[capacity * Count]{};

    /// Runs a pass over the program: f takes a `program`.
    template <class Pass>
    constexpr void run(Pass pass) {
        program plan{*this, loops, buffers, stages, items, fusions, reads, Count};
        pass(plan);
        static_cast<program_counts&>(*this) = plan;
    }
};

/// Whether a loop is `outer` or is inside it.
template <class Program>
constexpr bool is_loop_inside(const Program& plan, loop_index loop, loop_index outer) {
    for (; loop != no_loop; loop = plan.loops[loop].parent)
        if (loop == outer) return true;
    return false;
}

/// The loop over blocks of keys that contains a stage of scores or their softmax; no_loop if the stage has all keys.
template <class Program>
constexpr loop_index key_loop_of(const Program& plan, const plan_stage& s) {
    if (s.column_axis == no_axis || s.bindings[s.column_axis] == whole_axis) return no_loop;
    return plan.loops[s.bindings[s.column_axis]].keys ? s.bindings[s.column_axis] : no_loop;
}

/// Whether one of several workers computes what is inside a loop.
template <class Program>
constexpr bool is_in_shared_loop(const Program& plan, loop_index loop) {
    for (; loop != no_loop; loop = plan.loops[loop].parent)
        if (plan.loops[loop].is_shared) return true;
    return false;
}

}  // namespace ashlar::detail
