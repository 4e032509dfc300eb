// SPDX-License-Identifier: BSL-1.0
// From axis maps to a program: which values are computed where, inside which loops, and in which layout.
#pragma once

#include <ashlar/plan/build/program_builder.hpp>
#include <ashlar/plan/build/row_needs.hpp>
#include <ashlar/plan/build/schedule.hpp>
#include <ashlar/plan/build/settle_loops.hpp>
#include <ashlar/plan/choose/block_keys.hpp>
#include <ashlar/plan/choose/fuse.hpp>
#include <ashlar/plan/graph/column_blocks.hpp>

namespace ashlar::inline v0_1::detail {

/// Builds a program from the root down. It first emits what a stage needs in memory, inside the outermost loops that it
/// depends on. Everything else is evaluated inside the stage that reads it.
class planner : program_builder {
    using stage = plan_stage;

public:
    /// How early a named value is computed before the stages that read it.
    enum class sharing : std::uint8_t { tile, rows, everything };

    constexpr planner(program& made, const graph_node* graph, const machine& on, std::size_t rows_of_tiles,
                      sharing* of_nodes, limited_tiles limits, node_needs* of_limits)
        : program_builder{graph, on, made, rows_of_tiles}, shared(of_nodes), limited(limits), needs(of_limits) {}

    /// Fills an empty program that writes a destination with these strides. Returns false if it has to be built again
    /// because more is to be shared.
    constexpr bool build(const axis_list& strides) {
        const auto root = index_at<node_index>(plan.node_count - 1);
        destination out;
        out.strides = strides;
        // A value that a let stores and no stage reads: before the destination is written, which it may read.
        for (node_index n{}; n < root; ++n)
            if (at(n).kind == node_kind::store && !reaches(root, n)) emit_store(n, all_whole, loop_stack{});
        emit(root, out, all_whole, loop_stack{});
        if (share_more()) return false;
        if (limited != limited_tiles::none) limit_loops(plan, nodes, needs);
        settle_loops(plan, nodes, target, limited == limited_tiles::parts);
        block_keys(plan, nodes, target);
        fuse(plan, nodes, target);
        schedule(plan);
        plan.tile_bytes = tile_bytes(plan);
        return true;
    }

private:
    sharing* shared;
    limited_tiles limited;
    node_needs* needs;      // room for those of all nodes, where rows are limited
    std::size_t reads = 0;  // of all stages so far

    constexpr stage new_stage(stage_kind kind) {
        stage s;
        s.kind = kind;
        s.first_read = reads;
        // Assigns whole objects: g++ 12 forgets the default of the other member if only one is assigned.
        for (std::size_t n = 0; n < plan.node_count; ++n) plan.reads[reads++] = node_read{no_buffer, no_buffer};
        return s;
    }

    constexpr bool is_rows_loop(loop_index loop) const { return loop != whole_axis && plan.loops[loop].rows; }

    constexpr bool is_columns_loop(loop_index loop) const { return loop != whole_axis && plan.loops[loop].columns; }

    /// The axes that are bound to loops over single entries.
    constexpr std::array<bool, max_rank> entries_of_loops(const binding_list& b) const {
        std::array<bool, max_rank> out{};
        for (std::size_t a = 0; a < max_rank; ++a)
            out[a] = b[a] != whole_axis && !is_rows_loop(b[a]) && !is_columns_loop(b[a]);
        return out;
    }

    /// Finds named products that one use computed in its tile before another use needed all of them, and marks them to
    /// be computed once, for all rows or for everything. Returns true if the program has to be built again.
    constexpr bool share_more();

    /// The next build computes the value of a node one level earlier.
    constexpr void share(node_index n) { shared[n] = shared[n] == sharing::tile ? sharing::rows : sharing::everything; }
    /// Whether a stage reads a node already. If its buffer holds less than entries `b`, because one use of a name reads
    /// a tile and another one all rows, the program has to be built again with a buffer for both. An operand of a
    /// product that is read through moves of a named value keeps its buffer if the epilogue reads one of these moves
    /// too: a buffer of its own would have another layout than the one chosen for the operand.
    constexpr bool is_read(const stage& s, node_index n, const binding_list& b);
    /// Whether an operand of the stage's product is read through a node, from memory below it.
    constexpr bool is_part_of_operand(const stage& s, node_index n) const;
    bool reads_less = false;

    // ------------------------------------------------------------------ choosing what a stage computes

    /// The product inside an elementwise expression that is applied element by element, so that the rest can be its
    /// epilogue.
    struct core_choice {
        node_index core = no_node;
        axis_map top_axes = no_axes;  // for each axis of top: the axis of the core
        std::size_t work = 0;
    };

    constexpr void search_core(node_index n, const graph_node& top, const axis_map& from_top,
                               const binding_list& bindings, const loop_stack& stack, core_choice& best) const;

    constexpr void consider_core(node_index n, const graph_node& top, const axis_map& from_top,
                                 const binding_list& bindings, const loop_stack& stack, core_choice& best) const;

    /// A product, or scalars and functions of it that do not depend on the position of an element.
    constexpr bool is_uniform_product(node_index n) const;

    /// Bytes of the widest floating-point element between `n` and the core. Elements wider than the core's would not
    /// fit the lanes of the product.
    constexpr std::size_t widest(node_index n, node_index core) const;

    /// Makes bindings whole that a node's own loops cannot honour: its columns and, for products and joins, everything
    /// but rows.
    constexpr binding_list demote(node_index n, binding_list b) const;

    /// The loops that a value depends on, without a gap from the outermost one; bindings to others become whole.
    constexpr loop_stack dependent_prefix(const loop_stack& stack, std::size_t rank, binding_list& b) const;

    // ------------------------------------------------------------------ emitting

    /// Emits the stages that compute `top` into `out`. Returns the buffer that holds it (none for a given destination).
    constexpr buffer_index emit(node_index top, destination out, binding_list b, const loop_stack& stack);

    constexpr buffer_index emit_concat(node_index top, destination out, const binding_list& b, const loop_stack& stack);

    constexpr void aim(stage& s, const destination& out, buffer_index buffer) const;

    /// Opens a loop over every unbound axis of the space except the columns; rows in tiles.
    constexpr void open_loops(stage& s, const graph_node& space, loop_stack& stack, node_index inside);

    constexpr std::size_t rows_of(const stage& s, const graph_node& space) const;

    constexpr buffer_index emit_product(node_index top, const core_choice& choice, destination out,
                                        const binding_list& bindings, loop_stack stack);

    /// Columns of a tile for a product with its rows in lanes that is copied to where its columns are contiguous; 0 if
    /// all columns are computed at once.
    constexpr std::size_t column_tile(const stage& s, const graph_node& top, const destination& out,
                                      const graph_node& core) const;

    /// Adds a stage with rows or columns in lanes. If the destination needs the other order, the stage writes a buffer
    /// first, which is copied. A buffer has these bindings and this scope. A free buffer outlives the stage's own loops
    /// and holds everything that they run over; it is returned.
    constexpr buffer_index finish_rows(stage& s, const graph_node& top, const destination& out,
                                       const binding_list& held, loop_index scope, const loop_stack& stack);

    constexpr buffer_index emit_map(node_index top, destination out, const binding_list& bindings, loop_stack stack);

    constexpr void choose_map_axes(stage& s, const graph_node& g, const destination& out) const;

    /// Whether n consists of reductions over axes before its last one, of arrays whose last axis is contiguous: the
    /// last axis is then the rows, and they are in lanes. `any`: a stage of its own computes one of them.
    constexpr bool folds_before_last(const stage& s, node_index n, bool& any) const;

    /// Whether n is a plain reduction of few entries, as in a pool over windows. Lanes along other axes are faster than
    /// a stage of rows. Only such a stage skips loads that a condition excludes.
    constexpr bool folds_few(node_index n) const;

    /// Whether a map computes such a reduction where it reads the result: it reads each one for one of its elements.
    constexpr bool folds_in_place(node_index n, const stage& s) const;

    // ------------------------------------------------------------------ operands of products

    struct matrix {
        axis_list strides{};
        bool affine = false;
    };

    /// Whether the elements of `n` are in memory, through its names and index maps: in an array or in a buffer, which
    /// the stage records.
    constexpr bool find_memory(stage& s, node_index n, const binding_list& b, const loop_stack& stack) const;

    /// Its strides there; not affine if there are none.
    constexpr matrix read_strides(stage& s, node_index n, const binding_list& b, const loop_stack& stack) const {
        if (!find_memory(s, n, b, stack)) return {};
        const stride_result found =
            node_memory{nodes, plan.reads + s.first_read, plan.buffers}.strides(n, entries_of_loops(b));
        return {found.strides, found.affine};
    }

    /// Whether that memory, or a packed matrix, holds f16 or bf16. Some kernels convert them in their loads.
    constexpr bool reads_narrow(const stage& s, node_index n) const {
        return node_memory{nodes, plan.reads + s.first_read, plan.buffers}.narrow_bytes_at(n) != 0;
    }

    /// The arrays among the nodes, without buffers.
    constexpr node_memory arrays() const { return {nodes, nullptr, nullptr, false}; }

    /// Computes the value that names and index maps refer to, if there is one and it is not in memory yet. If the maps
    /// can be inverted, its layout makes `n` itself row-major.
    constexpr void make_base(node_index n, const binding_list& b, const loop_stack& stack, bool as_factor);

    /// A layout for the reader costs nothing if the last axis of the value stays contiguous.
    constexpr bool needs_layout(const graph_node& g, const axis_list& strides) const;

    constexpr bool only_batch_maps(const std::array<node_index, 32>& chain, std::size_t depth) const;

    /// Row-major strides of the part of a node that one pass of the loops around it holds.
    constexpr axis_list row_major_view(const graph_node& g, const binding_list& b, const loop_stack& prefix,
                                       std::size_t depth) const;

    /// Strides inside the blocks of columns of an array, which the stage then knows; not affine if there are no such
    /// blocks. Row axes of batches are bound.
    constexpr matrix read_in_blocks(stage& s, node_index n, const binding_list& b) const;

    constexpr matrix acquire_right(stage& s, node_index n, const binding_list& b, const loop_stack& stack);

    /// Whether the parts of a join are rounded to 8 bits where they lie. Otherwise nothing has changed but that a part
    /// may be in memory.
    constexpr bool acquire_pieces(stage& s, node_index n, const binding_list& b, const loop_stack& stack);

    constexpr void acquire_left(stage& s, node_index n, const binding_list& b, const loop_stack& stack);

    /// A copy of `n` in the layout that the stage needs.
    constexpr matrix copy_of(stage& s, node_index n, const binding_list& bindings, const loop_stack& stack,
                             layout wanted);

    constexpr buffer_index emit_matrix_copy(node_index n, destination out, const binding_list& b, loop_stack stack);

    // ------------------------------------------------------------------ functions of matrices

    /// The batch axis of a matrix function whose entries one stage computes; no_axis if loops give all indices.
    constexpr std::size_t axis_of_matrices(const graph_node& g, const binding_list& b) const;
    /// Whether so many matrices fill enough lanes.
    constexpr bool fill_lanes(const graph_node& g, std::size_t axis) const;
    /// Matrices are whole, and a batch whose entries run in lanes is computed at once if it is small.
    constexpr binding_list bindings_of_matrices(node_index n, binding_list b) const;
    constexpr void acquire_matrices(stage& s, node_index n, const binding_list& b, const loop_stack& stack);
    constexpr buffer_index emit_matrices(node_index top, const destination& out, const binding_list& b,
                                         loop_stack stack);

    // ------------------------------------------------------------------ what a stage reads

    /// Emits what `n` reads from memory inside the stage, and records its place.
    constexpr void prepare(node_index n, const binding_list& b, stage& s, const loop_stack& stack);
    constexpr bool carries_all(const graph_node& g, const graph_node& operand) const;

    constexpr void prepare_made(node_index n, const binding_list& bindings, stage& s, const loop_stack& stack);

    constexpr void mark_filled(buffer_index numerators);

    constexpr void prepare_statistics(node_index n, const binding_list& b, stage& s, const loop_stack& stack);
    constexpr void emit_store(node_index n, const binding_list& bindings, const loop_stack& stack);

    // ------------------------------------------------------------------ rows

    struct statistics {
        buffer_index values = no_buffer, factors = no_buffer;
    };

    /// The masked node whose kept pairs are the only nonzero elements of a softmax.
    constexpr node_index support_of(node_index softmax) const {
        return at(softmax).axis + 1u == at(softmax).rank ? at(softmax).masked : no_node;
    }

    /// Whether two nodes have the same rows and columns; other axes may be repeated.
    constexpr bool are_alike_matrices(const graph_node& a, const graph_node& b) const {
        return a.rank == b.rank && a.rank >= 2 && a.extents[a.rank - 1u] == b.extents[b.rank - 1u] &&
               a.extents[a.rank - 2u] == b.extents[b.rank - 2u];
    }

    /// The same for a left operand that a map computes from a softmax and that is zero where the softmax is: element by
    /// element, not of a softmax that is repeated.
    constexpr node_index support_of_map(node_index left) const {
        node_index n = resolve(left);
        while (at(n).kind == node_kind::map && at(n).excluded == exclusion::zero &&
               at(at(n).operands[0]).excluded == exclusion::zero &&
               are_alike_matrices(at(n), at(resolve(at(n).operands[0]))))
            n = resolve(at(n).operands[0]);
        return n != resolve(left) && at(n).kind == node_kind::softmax ? support_of(n) : no_node;
    }

    /// Neighbouring axes [first, last) of node `space` that a reduction folds as one axis of a computed value. A
    /// reshape to one axis would need all elements in memory.
    struct folded_axes {
        node_index space = no_node;
        std::size_t first = 0, last = 0;
    };
    /// No space if the reduction has one axis, has its operand in memory already, or has many small parts. Axes that it
    /// keeps are then not bound to rows.
    constexpr folded_axes folded_by(node_index n, binding_list& kept) const;

    /// Chooses rows and columns among folded axes, and opens loops over the others inside those over kept axes.
    constexpr void open_folded(stage& s, const graph_node& space, loop_stack& stack, node_index n);

    constexpr statistics make_statistics(node_index n, const binding_list& bindings, const loop_stack& outer);

    /// The only product stage that computes all of a buffer with its rows in lanes; no_stage if there is none.
    constexpr stage_index product_of_rows(buffer_index buffer) const;

    /// One number for each row: the row axis is innermost, and the column axis has no elements.
    constexpr buffer_index add_row_buffer(node_index n, buffer_role role, const binding_list& b,
                                          const loop_stack& prefix, const graph_node& g, const stage& s);
    constexpr void lay_out_rows(plan_buffer& b, const graph_node& rows, std::size_t row) const;

    /// The operand of a row statistic, computed into a buffer. Outside the mask's kept pairs it may stay unwritten.
    constexpr void make_input(node_index x, stage& s, const loop_stack& stack, const graph_node& g);

    /// Lanes run along the axis on which most operands of the stage are contiguous.
    constexpr lane_axis vote(const stage& s, node_index x) const;
    constexpr void count_votes(const stage& s, node_index n, const axis_map& from, std::ptrdiff_t& balance) const;
};

}  // namespace ashlar::detail

#include <ashlar/plan/build/planner_choice.hpp>
#include <ashlar/plan/build/planner_matrices.hpp>
#include <ashlar/plan/build/planner_operands.hpp>
#include <ashlar/plan/build/planner_rows.hpp>
#include <ashlar/plan/build/planner_stages.hpp>
