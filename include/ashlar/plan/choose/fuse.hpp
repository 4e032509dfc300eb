// SPDX-License-Identifier: BSL-1.0
// The pass that fuses neighbouring stages. It runs before storage is placed, because fused stages need less memory.
#pragma once

#include <ashlar/plan/choose/fuse_register_softmax.hpp>
#include <ashlar/plan/choose/fuse_statistics_into_map.hpp>
#include <ashlar/plan/choose/fuse_transposed_copy.hpp>

namespace ashlar::inline v0_1::detail {

/// Replaces items by a fused one, in the place of the first item.
constexpr void replace_items(program& plan, std::size_t first, const plan_fusion& by) {
    const auto index = index_at<fusion_index>(plan.fusion_count++);
    plan.fusions[index] = by;
    plan.items[first].stage = no_stage;
    plan.items[first].fused = index;
    std::size_t kept = first + 1;
    for (std::size_t i = first + 1; i < plan.item_count; ++i) {
        bool fused = false;
        for (const stage_index s : by.stages) fused = fused || (s != no_stage && plan.items[i].stage == s);
        if (!fused) plan.items[kept++] = plan.items[i];
    }
    plan.item_count = kept;
}

/// How two consecutive stages are fused in a tile.
constexpr fusion fusion_of_pair(const plan_context& c, stage_index first, stage_index second, std::size_t tile) {
    const plan_stage &a = c.plan.stages[first], &b = c.plan.stages[second];
    if (fuses_statistics_into_map(c, a, b, tile)) return fusion::statistics_into_map;
    return fusion::none;
}

constexpr void fuse_chains(const plan_context& c) {
    for (std::size_t i = 0; i < c.plan.item_count; ++i) {
        const std::size_t second = c.next_item(i), third = c.next_item(second);
        const softmax_chain chain{c.stage_at(i), c.stage_at(second), c.stage_at(third)};
        if (!is_softmax_chain(c, chain) || key_loop_of(c.plan, c.plan.stages[chain.softmax]) != no_loop) continue;
        plan_fusion found{.stages = {chain.scores, chain.softmax, chain.values}};
        bool any = false;
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            found.how[tile] = fusion_of_chain(c, chain, tile);
            any = any || found.how[tile] != fusion::none;
            if (found.how[tile] == fusion::none) found.how[tile] = fusion_of_pair(c, chain.softmax, chain.values, tile);
        }
        if (!any) continue;
        drop_storage(c, found);
        replace_items(c.plan, i, found);
    }
}

constexpr void fuse_pairs(const plan_context& c) {
    for (std::size_t i = 0; i < c.plan.item_count; ++i) {
        const stage_index first = c.stage_at(i), second = c.stage_at(c.next_item(i));
        if (first == no_stage || second == no_stage) continue;
        plan_fusion found{.stages = {no_stage, first, second}};
        bool any = false;
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            found.how[tile] = fusion_of_pair(c, first, second, tile);
            any = any || found.how[tile] != fusion::none;
        }
        if (!any) continue;
        if (found.how[full_tile] == fusion::statistics_into_map && reuses_rows(c, first, second)) {
            const plan_stage& rows = c.plan.stages[first];
            found.reuses_rows = true;
            for (const buffer_index b : {rows.buffer, rows.second_buffer})
                if (b != no_buffer) keep_rows(c, b, rows.bindings[rows.row_axis], 2 * rows_side_by_side(c, rows));
        }
        replace_items(c.plan, i, found);
    }
}

constexpr void fuse_copies(const plan_context& c) {
    for (std::size_t i = 0; i < c.plan.item_count; ++i) {
        const stage_index product = c.stage_at(i);
        if (product == no_stage) continue;
        const copied_rhs found = copy_of_rhs(c, product);
        if (found.copy == no_stage) continue;
        c.plan.stages[product].transposed_copy = found.copy;
        replace_items(
            c.plan, i,
            plan_fusion{.how = {fusion::transposed_copy, fusion::none}, .stages = {no_stage, found.copy, product}});
        remove_loop(c.plan, found.copy_loop, found.copy, c.plan.stages[product].loop);
        i = 0;
    }
}

constexpr void fuse(program& plan, const graph_node* nodes, const machine& target) {
    const plan_context context{plan, nodes, target};
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        plan_stage& stage = plan.stages[s];
        stage.width = context.find_width(stage);
        if (stage.kind == stage_kind::product) stage.facts = find_facts(context, stage);
    }
    fuse_chains(context);
    fuse_pairs(context);
    fuse_copies(context);
}

}  // namespace ashlar::detail
