// SPDX-License-Identifier: BSL-1.0
// The loops whose iterations several workers share.
#pragma once

#include <ashlar/kernel/machine.hpp>
#include <ashlar/plan/build/program.hpp>
#include <ashlar/plan/graph/graph.hpp>

namespace ashlar::inline v0_1::detail {

/// Iterations that a loop without tiles has for workers to share: each of them reads the right operands again.
inline constexpr std::size_t most_iterations_for_workers = 32;
/// The minimum of rows of the last of these iterations.
inline constexpr std::size_t least_rows_at_end = 16;

/// Rows of its single tile, or of those that several workers share.
constexpr std::size_t rows_without_tiles(const plan_loop& loop, const machine& target) {
    if (target.worker_rows == 0 || loop.parent != no_loop) return loop.extent;
    if (target.worker_rows > loop.extent) return loop.extent;
    const std::size_t least = (loop.extent + most_iterations_for_workers - 1) / most_iterations_for_workers;
    std::size_t rows = (least + loop.tile - 1) / loop.tile * loop.tile;
    // A last tile of few rows would be computed by another strategy, with another order of sums.
    while (rows < loop.extent && loop.extent % rows != 0 && loop.extent % rows < least_rows_at_end) rows += loop.tile;
    return rows < loop.extent ? rows : loop.extent;
}

/// Whether different iterations of a loop around a stage write different memory: it stays inside the loop, or has the
/// loop's axis, and rows end where registers do, because memory after the last one belongs to another worker.
constexpr bool writes_apart(const program& plan, const graph_node* nodes, const machine& target,
                            const plan_stage& stage, loop_index loop) {
    const auto ends_at_registers = [&](std::size_t rows) {
        for (const node_index n : {stage.top, stage.core})
            if (n != no_node && rows % target.lanes(nodes[n].element_bytes) != 0) return false;
        return true;
    };
    const plan_loop& l = plan.loops[loop];
    if (l.rows && !ends_at_registers(l.tile)) return false;
    if (stage.buffer != no_buffer && is_loop_inside(plan, plan.buffers[stage.buffer].scope, loop)) return true;
    bool has_axis = false;
    for (std::size_t a = 0; a < nodes[stage.space].rank; ++a) has_axis = has_axis || stage.bindings[a] == loop;
    if (l.rows || stage.lanes != lane_axis::rows || stage.row_axis == no_axis) return has_axis;
    const loop_index of_rows = stage.bindings[stage.row_axis];
    if (of_rows != whole_axis && plan.loops[of_rows].rows)
        return has_axis && ends_at_registers(plan.loops[of_rows].tile) &&
               ends_at_registers(plan.loops[of_rows].last_rows());
    return has_axis && ends_at_registers(nodes[stage.space].extents[stage.row_axis]);
}

/// Whether workers may run iterations of a loop concurrently: none reads what another one writes, and rows end where
/// registers do, because rows after the last one belong to another worker.
constexpr bool may_be_shared(const program& plan, const graph_node* nodes, const machine& target, loop_index loop) {
    const plan_loop& l = plan.loops[loop];
    if (l.columns || l.extent <= l.tile) return false;
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        const plan_stage& stage = plan.stages[s];
        if (!is_loop_inside(plan, stage.loop, loop)) continue;
        if (stage.fold_first != no_axis && stage.second_buffer != no_buffer &&
            !is_loop_inside(plan, plan.buffers[stage.second_buffer].scope, loop))
            return false;
        if (!writes_apart(plan, nodes, target, stage, loop)) return false;
    }
    return true;
}

/// The only item of a loop if it is a loop; no_loop if there is more in it.
constexpr loop_index only_loop_in(const program& plan, loop_index parent) {
    loop_index found = no_loop;
    for (std::size_t i = 0; i < plan.item_count; ++i) {
        if (plan.items[i].parent != parent) continue;
        if (found != no_loop || !plan.items[i].is_loop()) return no_loop;
        found = plan.items[i].loop;
    }
    return found;
}

/// Whether workers can share the columns of a product: it reads packed weights in panels that end where registers do.
/// Any worker computes a run of panels in the same way, so no sum changes.
constexpr bool may_share_columns(const graph_node* nodes, const machine& target, const plan_stage& stage) {
    if (stage.kind != stage_kind::product || stage.lanes != lane_axis::columns || stage.maxima != no_buffer)
        return false;
    node_index right = nodes[stage.core].operands[1];
    while (nodes[right].kind == node_kind::let || nodes[right].kind == node_kind::let_value)
        right = nodes[right].same_as;
    const graph_node& weights = nodes[right];
    const std::size_t width = target.lanes(nodes[stage.core].element_bytes);
    return weights.kind == node_kind::packed && !weights.quantized && weights.panel % width == 0 &&
           weights.extents[weights.rank - 1u] > weights.panel;
}

/// Elements of a loop's products whose columns workers can share: of packed weights, and of the rows that they
/// multiply.
struct shared_products {
    std::size_t weights = 0, rows = 0;
};
constexpr shared_products products_in(const program& plan, const graph_node* nodes, const machine& target,
                                      loop_index loop) {
    shared_products out;
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        const plan_stage& stage = plan.stages[s];
        if (stage.loop != loop || !may_share_columns(nodes, target, stage)) continue;
        const graph_node& core = nodes[stage.core];
        const graph_node& left = nodes[core.operands[0]];
        const std::size_t depth = left.extents[left.rank - 1u];
        out.weights += depth * core.extents[core.rank - 1u];
        out.rows += depth * plan.loops[loop].extent;
    }
    return out;
}

/// Whether the iterations of an outermost loop over rows run one after the other, so that workers share the columns of
/// its products and the heads of its attention. If each iteration needs only weights, the fewer bytes decide: sharing
/// rows reads all weights once per worker, sharing columns reads all rows. Otherwise workers share rows only if there
/// are enough tiles for any number of workers.
constexpr bool is_split_loop(const program& plan, const graph_node* nodes, const machine& target, loop_index loop,
                             bool has_one_stage_each) {
    const plan_loop& l = plan.loops[loop];
    if (!target.worker_columns || l.parent != no_loop || !l.rows) return false;
    const shared_products products = products_in(plan, nodes, target, loop);
    if (products.weights == 0) return false;
    return has_one_stage_each ? products.rows < products.weights : l.extent < most_iterations_for_workers * l.tile;
}

/// Shares a loop, and the loops over entries and rows directly inside it.
constexpr void share_nest(program& plan, const graph_node* nodes, const machine& target, loop_index outer) {
    for (loop_index l = outer; l != no_loop && may_be_shared(plan, nodes, target, l); l = only_loop_in(plan, l)) {
        plan.loops[l].is_shared = true;
        if (plan.loops[l].rows) break;
    }
}

/// Shares outermost loops, and what is directly inside split ones.
constexpr void share_loops(program& plan, const graph_node* nodes, const machine& target) {
    for (loop_index l{}; l < plan.loop_count; ++l) {
        const loop_index parent = plan.loops[l].parent;
        if (parent == no_loop ? !plan.loops[l].is_split : plan.loops[parent].is_split)
            share_nest(plan, nodes, target, l);
    }
}

/// Tells products of split loops, and those outside of loops, that workers share their columns.
constexpr void share_columns(program& plan, const graph_node* nodes, const machine& target) {
    for (std::size_t i = 0; i < plan.item_count; ++i) {
        const plan_item& item = plan.items[i];
        if (item.stage == no_stage || (item.parent != no_loop && !plan.loops[item.parent].is_split)) continue;
        plan.stages[item.stage].shares_columns = may_share_columns(nodes, target, plan.stages[item.stage]);
    }
}

}  // namespace ashlar::detail
