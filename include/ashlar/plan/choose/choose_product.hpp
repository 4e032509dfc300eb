// SPDX-License-Identifier: BSL-1.0
// Chooses how a product runs: its form, the source of its right operand, the time of its epilogue, prefetches, and the
// edges of a mask.
#pragma once

#include <ashlar/plan/choose/rhs_kernels.hpp>

namespace ashlar::inline v0_1::detail {

/// Rows and depth steps from which an expensive epilogue reads stored sums, on machines without registers for its
/// constants.
inline constexpr std::size_t least_reloading_rows = 4, least_reloading_depth = 192;

/// Fewer rows than this read weights at the speed of memory, and hardware prefetchers follow their single stream.
inline constexpr std::size_t least_prefetching_rows = 8;

/// Depth steps from which one row reads panels side by side: its streams are long enough.
inline constexpr std::size_t least_depth_of_streams = 1024;

/// Bytes of all arrays that an expression reads.
constexpr std::size_t bytes_read(const graph_node* nodes, std::size_t count) {
    std::size_t bytes = 0;
    for (std::size_t n = 0; n < count; ++n)
        if (nodes[n].kind == node_kind::array || nodes[n].kind == node_kind::packed) bytes += nodes[n].memory_bytes();
    return bytes;
}

/// Whether operands come from beyond L1 in every call. A quarter more than the default size still comes from L1, or
/// almost all of it, if L1 is larger.
constexpr bool exceeds_l1(std::size_t bytes, const machine& target) { return bytes > target.l1_bytes / 4 * 5; }

/// Whether the operations of a stage after its core, up to node n, take many instructions. Results of other stages are
/// only loads.
constexpr bool has_costly_epilogue(const plan_context& c, const plan_stage& s, node_index n) {
    const graph_node& g = c.at(n);
    if (n == s.core || c.read_of(s, n).values != no_buffer) return false;
    if (g.kind == node_kind::let || g.kind == node_kind::let_value) return has_costly_epilogue(c, s, g.same_as);
    if (g.kind == node_kind::map && g.costly) return true;
    for (std::size_t i = 0; i < g.operand_count; ++i)
        if (has_costly_epilogue(c, s, g.operands[i])) return true;
    return false;
}

/// Rows that register blocks divide because of a mask. 0 if small blocks would cost more inside the mask than they save
/// at its edges: with few registers (causal with AVX2, 64 to 256 keys: 6 x 2 blocks take 4 to 6% less time than 4 x 2),
/// unless the core issues one instruction at a time.
constexpr std::size_t edge_granule(std::size_t granule, const machine& target) {
    return target.registers >= 32 || target.single_issue ? granule : 0;
}

/// Panels of a packed right operand that are read side by side: one register of each, as many as the registers allow.
/// One row reads a single stream, which caches deliver best, unless its streams are long.
constexpr std::size_t panels_side_by_side(std::size_t rows, std::size_t panel, const product_facts& product,
                                          bool streamed, const machine& target) {
    if (panel != product.width || (rows == 1 && streamed && product.depth < least_depth_of_streams)) return 1;
    const std::size_t registers = target.registers >= 32 ? 3 : 2;
    return product.width == 1 ? 4 * registers : registers;
}

/// How the mask on top of a product limits what is computed.
constexpr mask_edge mask_edge_of(const plan_context& c, const plan_stage& s, const product_facts& product,
                                 std::size_t rows, product_form form) {
    if (s.lanes != lane_axis::rows) return mask_edge::tiles;
    if (keeps_exact_keys(c, s)) return mask_edge::keys;
    const graph_node& core = c.at(s.core);
    const bool halves = takes_half_registers({.i = product.columns,
                                              .j = rows,
                                              .k = product.depth,
                                              .si = 0,
                                              .sk = static_cast<std::size_t>(product.right_depth),
                                              .vk = 0,
                                              .padded = product.left_is_padded},
                                             core.element_bytes, core.scalar == scalar_kind::floating, c.target);
    return product.skips && form == product_form::blocks && c.at(product.masked).slopes && halves
               ? mask_edge::halves
               : mask_edge::registers;
}

/// Register blocks, strips and packed columns of all products that the stage's kernels compute for these rows.
constexpr void choose_cuts(const plan_context& c, const plan_stage& s, std::size_t rows, product_strategy& how) {
    const product_facts& product = s.facts;
    const element_machine on = elements_of(c, s);
    const cut_options options{.whole_depth = product.has_whole_depth(),
                              .packs = !product.right_is_narrow,
                              .from_zero = !product.waits && how.k_parts <= 1,
                              .splits = how.edge == mask_edge::registers && product.skips,
                              .streamed = how.streamed && s.lanes == lane_axis::columns,
                              .granule = how.granule};
    const auto of_columns = [&](std::size_t columns, std::size_t distance) {
        product_shape shape = shape_of_columns(product, rows, columns, static_cast<std::ptrdiff_t>(distance));
        if (how.group != 1) shape = in_groups(shape, how.group);
        return choose_cut(shape, on, options);
    };
    if (how.rhs == rhs_source::quantized) {
        const std::size_t panel = c.at(c.resolve(product.right)).panel;
        how.cut = product.right_is_int4
                      ? choose_int4_cut(rows, shape_of_int4(product, rows).right, c.target)
                      : choose_quantized_cut(rows, shape_of_quantized(product, rows, panel).right, c.target);
    } else if (how.rhs == rhs_source::panels) {
        const std::size_t panel = c.at(c.resolve(product.right)).panel, whole = product.columns / panel,
                          rest = product.columns % panel;
        if (how.panel_runs != 0) how.cut = of_columns(how.panels * panel, panel);
        if (how.panel_runs * std::size_t{how.panels} != whole)
            how.fewer_panels = of_columns((how.panels - 1u) * panel, panel);
        if (rest != 0) how.last_panel = of_columns(rest, rest);
    } else if (how.rhs == rhs_source::column_blocks) {
        how.cut = of_columns(s.column_block, static_cast<std::size_t>(product.right_depth));
    } else if (s.transposed_copy != no_stage) {
        how.cut = choose_transposing_cut(shape_of_columns(product, rows, product.columns, product.right_depth), on);
    } else if (s.lanes == lane_axis::columns) {
        how.cut = of_columns(product.columns, static_cast<std::size_t>(product.right_depth));
    } else if (how.form == product_form::blocks) {
        how.cut = choose_cut(shape_of_rows(product, rows), on, options);
    }
}

constexpr product_strategy choose_product(const plan_context& c, const plan_stage& s, std::size_t tile) {
    const product_facts& product = s.facts;
    const std::size_t rows = c.rows_of(s, tile), bytes = bytes_read(c.nodes, c.plan.node_count);
    const bool all_depth = product.has_whole_depth(), masked = product.masked != no_node;
    const bool same_elements = c.same_elements(s.top, s.core);
    // With columns in lanes, sums may wait in the result for their epilogue or for the rest of the depth. Nothing else
    // reads or writes there, because a result that overlaps an operand is written through a copy.
    const bool sums_wait = same_elements && c.written_stride(s, s.column_axis) == 1 && !masked && !product.waits;
    product_strategy how;
    how.streamed = exceeds_l1(bytes, c.target);

    if (product.right_is_quantized)
        how.rhs = rhs_source::quantized;
    else if (product.right_is_packed)
        how.rhs = rhs_source::panels;
    else if (s.column_block != 0)
        how.rhs = rhs_source::column_blocks;

    if (packs_k(product, s.lanes, rows)) {
        const std::size_t line = packed_k_line(rows);
        how.form = product_form::packed_k;
        how.packed = choose_packed_k({rows, product.columns, product.depth, 0, 0}, elements_of(c, s));
        how.writes_groups = s.left_factor == no_node && s.buffer != no_buffer && same_elements && product.uniform &&
                            c.written_stride(s, s.row_axis) == 1 &&
                            c.written_stride(s, s.column_axis) == static_cast<std::ptrdiff_t>(line);
    } else if (s.lanes == lane_axis::depth) {
        how.form = product_form::dots;
    }

    // Both operands are bf16, so a multiply-add of two elements rounds as two multiply-adds do. Panels are read from
    // front to back.
    if (product.of_bf16 && c.target.bf16_pairs && how.rhs == rhs_source::panels && s.lanes == lane_axis::columns &&
        product.left_depth == 1 && product.depth > 1 && all_depth)
        how.group = 2;

    // Sums wait as whole registers: of a panel, or of a block of columns.
    const std::size_t at_once = product.right_is_packed ? c.at(c.resolve(product.right)).panel
                                : s.column_block != 0   ? s.column_block
                                                        : product.columns;
    const bool whole_registers =
        product.columns % product.width == 0 && (at_once >= product.columns || at_once % product.width == 0);
    if (sums_wait && s.lanes == lane_axis::columns && whole_registers && !product.right_is_quantized &&
        c.target.registers < 32 && rows >= least_reloading_rows && product.depth / how.group >= least_reloading_depth &&
        all_depth && has_costly_epilogue(c, s, s.top))
        how.epilogue = epilogue_time::reloaded;

    if (how.rhs == rhs_source::panels) {
        const std::size_t panel = c.at(c.resolve(product.right)).panel;
        const std::size_t whole = product.columns / panel,
                          most = panels_side_by_side(rows, panel, product, how.streamed, c.target);
        const axis_split runs = split_near_equal(whole, (whole + most - 1) / most);
        how.panels = static_cast<std::uint8_t>(runs.large);
        how.panel_runs = static_cast<std::uint32_t>(runs.large_blocks);
        how.prefetches = rows >= least_prefetching_rows && !c.target.single_issue;
    } else if (how.rhs == rhs_source::rows && s.lanes == lane_axis::columns && all_depth && !product.waits) {
        const rhs_choice chosen =
            choose_rhs_kernel(rows, product, elements_of(c, s), bytes > c.target.l2_bytes, masked, sums_wait);
        how.rhs_kernel = chosen.kernel;
        how.k_parts = static_cast<std::uint16_t>(chosen.k_parts);
        how.prefetches = chosen.prefetches;
    }

    if (masked) how.edge = mask_edge_of(c, s, product, rows, how.form);
    if (s.lanes == lane_axis::rows && masked)
        how.granule = static_cast<std::uint8_t>(edge_granule(key_group, c.target));
    else if (s.lanes == lane_axis::columns && product.ranged)
        how.granule = static_cast<std::uint8_t>(edge_granule(key_group / 4, c.target));
    choose_cuts(c, s, rows, how);
    return how;
}

// ------------------------------------------------------------------ what is read next

/// Whether a stage is a product with packed weights.
constexpr bool reads_panels(const plan_context& c, const plan_stage& s) {
    return s.kind == stage_kind::product && c.at(c.resolve(c.at(s.core).operands[1])).kind == node_kind::packed;
}

/// Tells every product with packed weights which weights are read next: those of the next such stage or, after the last
/// one, of the first stage of the same loop if the loop has more than one tile.
constexpr void order_weights(const plan_context& c) {
    stage_index last = no_stage;
    const auto follows = [&](stage_index next) {
        if (last != no_stage)
            for (stage_strategy& how : c.plan.stages[last].how) how.product.next_weights = next;
        last = next;
    };
    c.each_stage(no_loop, [&](stage_index s) {
        if (reads_panels(c, c.plan.stages[s])) follows(s);
    });
    if (last == no_stage) return;
    const loop_index loop = c.plan.stages[last].loop;
    if (loop == no_loop || c.plan.loops[loop].tile >= c.plan.loops[loop].extent) return;
    stage_index first = no_stage;
    c.each_stage(no_loop, [&](stage_index s) {
        const plan_stage& stage = c.plan.stages[s];
        if (first == no_stage && stage.loop == loop && reads_panels(c, stage)) first = s;
    });
    follows(first);
}

}  // namespace ashlar::detail
