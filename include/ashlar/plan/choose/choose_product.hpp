// SPDX-License-Identifier: BSL-1.0
// Chooses how a product runs: its kernel, the time of its epilogue, the edges of a mask, and register blocks.
#pragma once

#include <ashlar/plan/choose/product_kernels.hpp>

namespace ashlar::inline v0_1::detail {

/// Rows and depth steps from which an expensive epilogue reads stored sums, on machines without registers for its
/// constants.
inline constexpr std::size_t least_reloading_rows = 4, least_reloading_depth = 192;

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

/// How the mask on top of a product limits what is computed.
constexpr mask_edge mask_edge_of(const plan_context& c, const plan_stage& s, const product_facts& product,
                                 std::size_t rows, product_form form) {
    if (s.lanes != lane_axis::rows) return mask_edge::tiles;
    if (keeps_exact_keys(c, s)) return mask_edge::keys;
    const graph_node& core = c.at(s.core);
    const bool halves = takes_half_registers(shape_of_rows(product, rows), core.element_bytes,
                                             core.scalar == scalar_kind::floating, c.target);
    return product.skips && form == product_form::blocks && c.at(product.masked).slopes && halves
               ? mask_edge::halves
               : mask_edge::registers;
}

constexpr product_strategy choose_product(const plan_context& c, const plan_stage& s, std::size_t tile) {
    const product_facts& product = s.facts;
    const std::size_t rows = c.rows_of(s, tile);
    const product_query query{c, s, rows};
    product_strategy how;
    how.streamed = exceeds_l1(query.bytes_read(), c.target);
    how.kernel = product_kernels::choose(query, how);

    // Sums wait as whole registers: of a panel, or of a block of columns.
    const std::size_t at_once = product.right_is_packed ? product.right_panel
                                : s.column_block != 0   ? s.column_block
                                                        : product.columns;
    const bool whole_registers =
        product.columns % product.width == 0 && (at_once >= product.columns || at_once % product.width == 0);
    if (query.sums_wait() && s.lanes == lane_axis::columns && whole_registers && !product.right_is_quantized &&
        c.target.registers < 32 && rows >= least_reloading_rows && product.depth / how.group >= least_reloading_depth &&
        product.has_whole_depth() && has_costly_epilogue(c, s, s.top))
        how.epilogue = epilogue_time::reloaded;

    if (query.masked) how.edge = mask_edge_of(c, s, product, rows, how.form);
    if (s.lanes == lane_axis::rows && query.masked)
        how.granule = static_cast<std::uint8_t>(edge_granule(key_group, c.target));
    else if (s.lanes == lane_axis::columns && product.ranged)
        how.granule = static_cast<std::uint8_t>(edge_granule(key_group / 4, c.target));
    if (how.form == product_form::blocks || how.form == product_form::integers)
        product_kernels::visit(how.kernel, [&](auto kernel) { kernel.cut(query, how); });
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
