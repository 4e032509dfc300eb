// SPDX-License-Identifier: BSL-1.0
// Tables of products: scratch of one stage for what its kernels pack.
#pragma once

#include <ashlar/plan/choose/rhs_kernels.hpp>

namespace ashlar::inline v0_1::detail {

/// The fusion that a stage is part of in a tile, and its place in it.
struct fused_place {
    fusion how = fusion::none;
    std::size_t member = 0;
};
constexpr fused_place place_in_fusion(const program& plan, stage_index stage, std::size_t tile) {
    for (std::size_t f = 0; f < plan.fusion_count; ++f)
        for (std::size_t member = 0; member < 3; ++member)
            if (plan.fusions[f].stages[member] == stage) return {plan.fusions[f].how[tile], member};
    return {};
}

/// Bytes that the kernels of a product stage pack in a tile of rows.
constexpr std::size_t table_bytes(const plan_context& c, stage_index id, std::size_t tile) {
    const plan_stage& s = c.plan.stages[id];
    const std::size_t rows = c.rows_of(s, tile);
    const fused_place fused = place_in_fusion(c.plan, id, tile);
    // In these fusions sums stay in registers from one product to the next.
    if (rows == 0 || fused.how == fusion::register_softmax || fused.how == fusion::register_softmax_of_vectors ||
        (fused.how == fusion::register_softmax_to_memory && fused.member == 0))
        return 0;
    const product_facts& product = s.facts;
    const product_strategy& how = s.how[tile].product;
    const element_machine on = elements_of(c, s);
    if (how.form == product_form::packed_k && how.rhs == rhs_source::rows)
        return packed_k_table_bytes({rows, product.columns, product.depth, 0, 0, how.packed}, on);
    if (how.rhs == rhs_source::quantized)
        return product.right_is_int4 ? int4_rows_bytes(rows, product.depth)
                                     : rounded_rows_bytes(rows, product.depth, c.target);
    if (how.rhs_kernel != 0)
        return rhs_kernels::visit(how.rhs_kernel, [&](auto kernel) {
            return kernel.table_bytes(cut_of_columns(product, rows, how), how.k_parts, on);
        });
    if (how.group != 1) return rows * grouped_steps(product.depth, how.group) * on.bytes;
    const std::size_t of_columns = table_bytes_of(how.cut, product.depth, on),
                      of_rest = table_bytes_of(how.last_panel, product.depth, on);
    return of_columns > of_rest ? of_columns : of_rest;
}

/// Gives each product stage a buffer if its kernels need one, sized for the larger tile. Returns whether there are any;
/// storage is then placed again.
constexpr bool add_tables(program& plan, const graph_node* nodes, const machine& target) {
    const plan_context context{plan, nodes, target};
    const std::size_t values = plan.buffer_count;
    for (stage_index s{}; s < plan.stage_count; ++s) {
        plan_stage& stage = plan.stages[s];
        if (stage.kind != stage_kind::product) continue;
        std::size_t most = 0;
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            const std::size_t bytes = table_bytes(context, s, tile);
            most = bytes > most ? bytes : most;
        }
        if (most == 0) continue;
        stage.table = index_at<buffer_index>(plan.buffer_count);
        plan_buffer& table = plan.buffers[plan.buffer_count++] = plan_buffer{};
        table.node = stage.core;
        table.role = buffer_role::table;
        table.scope = stage.loop;
        table.storage = stage.table;
        table.bytes = most;
    }
    return plan.buffer_count != values;
}

}  // namespace ashlar::detail
