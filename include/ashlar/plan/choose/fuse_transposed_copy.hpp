// SPDX-License-Identifier: BSL-1.0
// The fusion of a product with the copy of a right operand that lies transposed: the product brings it into scratch
// itself, a few depth steps ahead of its multiply-adds.
#pragma once

#include <ashlar/plan/choose/stage_facts.hpp>

namespace ashlar::detail {

/// A copy from which a product reads its right operand, and the loop in which the copy is alone.
struct copied_rhs {
    std::int16_t copy = -1, product = -1;  // stages
    std::int16_t copy_loop = -1;
};

/// The innermost loop around a stage, if that runs over the stage's rows in a single tile; -1 if not.
template <std::size_t Count>
constexpr std::int16_t own_rows_loop(const plan_context<Count>& c, const plan_stage<Count>& s) {
    if (s.row_axis == no_axis || s.loop == -1 || s.bindings[s.row_axis] != s.loop) return -1;
    const plan_loop& loop = c.plan.loops[c.index(s.loop)];
    return loop.rows && loop.tile == loop.extent ? s.loop : std::int16_t{-1};
}

/// Whether a stage turns columns of a tensor or view, which no stage writes, into rows.
template <std::size_t Count>
constexpr bool transposes_leaf(const plan_context<Count>& c, const plan_stage<Count>& s) {
    if (s.kind != stage_kind::map || s.lanes != lane_axis::columns || s.row_axis == no_axis ||
        s.column_axis == no_axis || c.target.lanes(c.at(s.top).element_bytes) != c.width_of(s))
        return false;
    const std::int16_t memory = c.memory_of(s).holder(s.top);
    if (memory == -1 || c.at(memory).kind != node_kind::array || c.at(s.top).scalar == scalar_kind::boolean)
        return false;
    std::array<bool, max_rank> fixed{};
    for (std::size_t a = 0; a < c.at(s.top).rank; ++a) fixed[a] = a != s.row_axis && a != s.column_axis;
    const stride_result source = c.memory_of(s).strides(s.top, fixed);
    std::ptrdiff_t written = 0;
    for (std::size_t a = c.at(s.top).rank; a-- > 0;)
        if (s.top_axes[a] == static_cast<std::int16_t>(s.column_axis)) written = s.strides[a];
    return source.affine && source.strides[s.row_axis] == 1 && source.strides[s.column_axis] > 1 && written == 1;
}

/// Whether the product of all its rows can do it: there are pairs of vectors, and registers for some steps beside their
/// accumulators. What a mask decides block by block, or excludes, it cannot.
template <std::size_t Count>
constexpr bool transposes_rhs(const plan_context<Count>& c, const plan_stage<Count>& product,
                              const plan_stage<Count>& copy) {
    const std::size_t together = c.target.transposed_together(c.at(product.core).element_bytes);
    if (c.target.registers < 32 || together == 0 || !c.same_elements(copy.top, product.core) ||
        c.columns_of(copy) != c.columns_of(product) || c.at(c.resolve(product.top)).kind == node_kind::masked)
        return false;
    const product_facts& facts = product.facts;
    return !facts.excludes && facts.right_column == 1 && facts.columns >= 2 * facts.width &&
           facts.depth >= 2 * together;
}

/// Appends the stages inside a loop in the order in which they run.
template <std::size_t Count>
constexpr void append_stages(const plan_context<Count>& c, std::int16_t parent, std::int16_t* order,
                             std::size_t& count) {
    for (std::size_t i = 0; i < c.plan.item_count; ++i) {
        if (c.plan.items[i].parent != parent) continue;
        if (c.plan.items[i].is_loop()) {
            append_stages(c, c.plan.items[i].index, order, count);
        } else {
            for (const std::int16_t s : stages_of(c.plan, c.plan.items[i]).stages)
                if (s != -1) order[count++] = s;
        }
    }
}

/// Whether nobody reads a buffer between its only writer and a product.
template <std::size_t Count>
constexpr bool waits_for(const plan_context<Count>& c, std::int16_t buffer, const copied_rhs& found) {
    std::int16_t order[program<Count>::capacity]{};
    std::size_t count = 0;
    append_stages(c, -1, order, count);
    bool written = false;
    for (std::size_t i = 0; i < count && order[i] != found.product; ++i) {
        if (written && c.reads(c.plan.stages[c.index(order[i])], buffer)) return false;
        written = written || order[i] == found.copy;
    }
    return written;
}

/// The copy of a product's right operand that the product can make; none if copy is -1.
template <std::size_t Count>
constexpr copied_rhs copy_of_rhs(const plan_context<Count>& c, std::int16_t s) {
    const plan_stage<Count>& product = c.plan.stages[c.index(s)];
    if (product.kind != stage_kind::product || product.lanes != lane_axis::columns || product.column_block != 0 ||
        product.left_factor != -1)
        return {};
    const std::int16_t loop = own_rows_loop(c, product), right = c.at(product.core).operands[1];
    const std::int16_t of_right = product.values[c.index(right)],
                       buffer = of_right != -1 ? of_right : product.values[c.index(c.resolve(right))];
    if (loop == -1 || buffer == -1) return {};
    copied_rhs found{.product = s};
    for (std::size_t i = 0; i < c.plan.stage_count; ++i) {
        if (c.plan.stages[i].buffer != buffer) continue;
        if (found.copy != -1) return {};
        found.copy = static_cast<std::int16_t>(i);
    }
    if (found.copy == -1) return {};
    const plan_stage<Count>& copy = c.plan.stages[c.index(found.copy)];
    found.copy_loop = own_rows_loop(c, copy);
    if (found.copy_loop == -1 || found.copy_loop == loop ||
        c.plan.loops[c.index(found.copy_loop)].parent != c.plan.loops[c.index(loop)].parent)
        return {};
    std::size_t inside = 0;
    for (std::size_t i = 0; i < c.plan.item_count; ++i) inside += c.plan.items[i].parent == found.copy_loop;
    if (inside != 1 || !transposes_leaf(c, copy) || !transposes_rhs(c, product, copy)) return {};
    return waits_for(c, buffer, found) ? found : copied_rhs{};
}

/// Removes a loop with one tile, in which stage `inside` is alone, and its items; the stage moves into another loop.
template <std::size_t Count>
constexpr void remove_loop(program<Count>& plan, std::int16_t loop, std::int16_t inside, std::int16_t into) {
    plan_stage<Count>& moved = plan.stages[static_cast<std::size_t>(inside)];
    moved.bindings[moved.row_axis] = whole_axis;
    moved.loop = into;
    const auto renumber = [&](std::int16_t& l) { l = l > loop ? static_cast<std::int16_t>(l - 1) : l; };
    std::size_t kept = 0;
    for (std::size_t i = 0; i < plan.item_count; ++i) {
        const plan_item& item = plan.items[i];
        if (item.parent == loop || (item.is_loop() && item.index == loop)) continue;
        plan.items[kept] = item;
        renumber(plan.items[kept].parent);
        if (item.is_loop()) renumber(plan.items[kept].index);
        ++kept;
    }
    plan.item_count = kept;
    --plan.loop_count;
    for (std::size_t l = static_cast<std::size_t>(loop); l < plan.loop_count; ++l) plan.loops[l] = plan.loops[l + 1];
    for (std::size_t l = 0; l < plan.loop_count; ++l) renumber(plan.loops[l].parent);
    for (std::size_t s = 0; s < plan.stage_count; ++s) {
        renumber(plan.stages[s].loop);
        for (std::int16_t& bound : plan.stages[s].bindings) renumber(bound);
    }
    for (std::size_t b = 0; b < plan.buffer_count; ++b) {
        renumber(plan.buffers[b].scope);
        for (std::int16_t& bound : plan.buffers[b].bindings) renumber(bound);
    }
}

}  // namespace ashlar::detail
