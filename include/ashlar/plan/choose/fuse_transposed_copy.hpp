// SPDX-License-Identifier: BSL-1.0
// Fuses a product with the copy of its transposed right operand: the product copies into scratch itself, a few depth
// steps ahead of its multiply-adds.
#pragma once

#include <ashlar/plan/choose/stage_facts.hpp>

namespace ashlar::inline v0_1::detail {

/// A copy that is the right operand of a product, and the loop that holds only the copy.
struct copied_rhs {
    stage_index copy = no_stage, product = no_stage;  // stages
    loop_index copy_loop = no_loop;
};

/// The innermost loop around a stage if it runs over the stage's rows in a single tile; otherwise no_loop.
constexpr loop_index own_rows_loop(const plan_context& c, const plan_stage& s) {
    if (s.row_axis == no_axis || s.loop == no_loop || s.bindings[s.row_axis] != s.loop) return no_loop;
    const plan_loop& loop = c.plan.loops[s.loop];
    return loop.rows && loop.tile == loop.extent ? s.loop : no_loop;
}

/// Whether a stage transposes a tensor or view that no stage writes.
constexpr bool transposes_leaf(const plan_context& c, const plan_stage& s) {
    if (s.kind != stage_kind::map || s.lanes != lane_axis::columns || s.row_axis == no_axis ||
        s.column_axis == no_axis || c.target.lanes(c.at(s.top).element_bytes) != c.width_of(s))
        return false;
    const node_index memory = c.memory_of(s).holder(s.top);
    if (memory == no_node || c.at(memory).kind != node_kind::array || c.at(memory).narrow ||
        c.at(s.top).scalar == scalar_kind::boolean)
        return false;
    std::array<bool, max_rank> fixed{};
    for (std::size_t a = 0; a < c.at(s.top).rank; ++a) fixed[a] = a != s.row_axis && a != s.column_axis;
    const stride_result source = c.memory_of(s).strides(s.top, fixed);
    std::ptrdiff_t written = 0;
    for (std::size_t a = c.at(s.top).rank; a-- > 0;)
        if (s.top_axes[a] == s.column_axis) written = s.strides[a];
    return source.affine && source.strides[s.row_axis] == 1 && source.strides[s.column_axis] > 1 && written == 1;
}

/// Whether the product of all rows can copy: there are pairs of vectors, and the accumulators leave registers for some
/// steps. It cannot if a mask decides block by block or excludes pairs.
constexpr bool transposes_rhs(const plan_context& c, const plan_stage& product, const plan_stage& copy) {
    const std::size_t together = c.target.transposed_together(c.at(product.core).element_bytes);
    if (c.target.registers < 32 || together == 0 || !c.same_elements(copy.top, product.core) ||
        c.columns_of(copy) != c.columns_of(product) || c.at(c.resolve(product.top)).kind == node_kind::masked)
        return false;
    const product_facts& facts = product.facts;
    return !facts.excludes && facts.right_column == 1 && facts.columns >= 2 * facts.width &&
           facts.depth >= 2 * together;
}

/// Whether no stage reads a buffer between its only writer and a product.
constexpr bool waits_for(const plan_context& c, buffer_index buffer, const copied_rhs& found) {
    bool written = false, read = false, over = false;
    c.each_stage(no_loop, [&](stage_index s) {
        over = over || s == found.product;
        if (over) return;
        read = read || (written && c.reads(c.plan.stages[s], buffer));
        written = written || s == found.copy;
    });
    return written && !read;
}

/// The copy of a product's right operand that the product can make; no_stage if there is none.
constexpr copied_rhs copy_of_rhs(const plan_context& c, stage_index s) {
    const plan_stage& product = c.plan.stages[s];
    if (product.kind != stage_kind::product || product.lanes != lane_axis::columns || product.column_block != 0 ||
        product.left_factor != no_node)
        return {};
    const loop_index loop = own_rows_loop(c, product);
    const node_index right = c.at(product.core).operands[1];
    const buffer_index of_right = c.read_of(product, right).values,
                       buffer = of_right != no_buffer ? of_right : c.read_of(product, c.resolve(right)).values;
    if (loop == no_loop || buffer == no_buffer) return {};
    copied_rhs found{.product = s};
    for (std::size_t i = 0; i < c.plan.stage_count; ++i) {
        if (c.plan.stages[i].buffer != buffer) continue;
        if (found.copy != no_stage) return {};
        found.copy = index_at<stage_index>(i);
    }
    if (found.copy == no_stage) return {};
    const plan_stage& copy = c.plan.stages[found.copy];
    found.copy_loop = own_rows_loop(c, copy);
    if (found.copy_loop == no_loop || found.copy_loop == loop ||
        c.plan.loops[found.copy_loop].parent != c.plan.loops[loop].parent)
        return {};
    std::size_t inside = 0;
    for (std::size_t i = 0; i < c.plan.item_count; ++i) inside += c.plan.items[i].parent == found.copy_loop;
    if (inside != 1 || !transposes_leaf(c, copy) || !transposes_rhs(c, product, copy)) return {};
    return waits_for(c, buffer, found) ? found : copied_rhs{};
}

/// Removes a loop with one tile that holds only stage `inside`, and its items. The stage moves into another loop.
constexpr void remove_loop(program& plan, loop_index loop, stage_index inside, loop_index into) {
    plan_stage& moved = plan.stages[inside];
    moved.bindings[moved.row_axis] = whole_axis;
    moved.loop = into;
    const auto renumber = [&](loop_index& l) {
        if (l != no_loop && l > loop) l = index_at<loop_index>(l - 1);
    };
    std::size_t kept = 0;
    for (std::size_t i = 0; i < plan.item_count; ++i) {
        const plan_item& item = plan.items[i];
        if (item.parent == loop || item.loop == loop) continue;
        plan.items[kept] = item;
        renumber(plan.items[kept].parent);
        renumber(plan.items[kept++].loop);
    }
    plan.item_count = kept;
    --plan.loop_count;
    for (std::size_t l = loop; l < plan.loop_count; ++l) plan.loops[l] = plan.loops[l + 1];
    for (std::size_t l = 0; l < plan.loop_count; ++l) renumber(plan.loops[l].parent);
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        renumber(plan.stages[s].loop);
        renumber(plan.stages[s].depth_loop);
        for (loop_index& bound : plan.stages[s].bindings) renumber(bound);
    }
    for (std::size_t b = 0; b < plan.buffer_count; ++b) {
        renumber(plan.buffers[b].scope);
        for (loop_index& bound : plan.buffers[b].bindings) renumber(bound);
    }
}

}  // namespace ashlar::detail
