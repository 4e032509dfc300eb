// SPDX-License-Identifier: BSL-1.0
// Tables of products: scratch of one stage for what its kernels pack.
#pragma once

#include <ashlar/plan/choose/choose_product.hpp>

namespace ashlar::inline v0_1::detail {

/// Bytes that the kernels of a product stage pack in a tile of rows.
constexpr std::size_t table_bytes(const plan_context& c, const plan_stage& s, std::size_t tile) {
    const product_query query{c, s, c.rows_of(s, tile)};
    const product_strategy& how = s.how[tile].product;
    std::size_t bytes = 0;
    if (query.rows != 0 && !how.in_registers)
        product_kernels::visit(how.kernel, [&](auto kernel) { bytes = kernel.table_bytes(query, how); });
    return bytes;
}

/// Gives each product stage a buffer if its kernels need one, sized for the larger tile. Returns whether there are any;
/// storage is then placed again.
constexpr bool add_tables(program& plan, const graph_node* nodes, const machine& target) {
    const plan_context context{plan, nodes, target};
    const std::size_t values = plan.buffer_count;
    for (stage_index s{}; s < plan.stage_count; ++s) {
        plan_stage& stage = plan.stages[s];
        if (stage.kind != stage_kind::product) continue;
        const std::size_t full = table_bytes(context, stage, full_tile), last = table_bytes(context, stage, last_tile),
                          most = full > last ? full : last;
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
