// SPDX-License-Identifier: BSL-1.0
// Right operands that lie transposed: the copy before the product is left to the product, which makes it on the way.
#pragma once

#include <ashlar/eval/access/product_operands.hpp>
#include <ashlar/eval/access/weight_panels.hpp>
#include <ashlar/eval/stages/map_stage.hpp>
#include <ashlar/kernel/product/transposing_rhs.hpp>

namespace ashlar::detail {

/// The loop over rows whose only tile, and all that happens in it, is stage s; no_axis if there is none.
template <class Plan>
constexpr std::size_t own_rows_loop(std::size_t s) {
    const auto& stage = Plan::code.stages[s];
    if (stage.row_axis == no_axis || stage.loop == -1 || stage.bindings[stage.row_axis] != stage.loop) return no_axis;
    const plan_loop& loop = Plan::code.loops[static_cast<std::size_t>(stage.loop)];
    return loop.rows && loop.tile == loop.extent ? static_cast<std::size_t>(stage.loop) : no_axis;
}

/// The loop around a loop; the program has each of them once.
template <class Plan>
constexpr std::int16_t loop_around(std::size_t loop) {
    for (std::size_t i = 0; i < Plan::code.item_count; ++i)
        if (Plan::code.items[i].is_loop() && Plan::code.items[i].index == static_cast<std::int16_t>(loop))
            return Plan::code.items[i].parent;
    return -1;
}

/// The stage that copies the right operand of product stage s, runs once for it, and whose result nobody reads before;
/// no_axis if there is none.
template <class Plan>
constexpr std::size_t copy_before(std::size_t s) {
    const auto& product = Plan::code.stages[s];
    if (product.kind != stage_kind::product || product.lanes != lane_axis::columns || product.column_block != 0 ||
        product.left_factor != -1)
        return no_axis;
    const std::size_t loop = own_rows_loop<Plan>(s),
                      right = static_cast<std::size_t>(Plan::nodes[static_cast<std::size_t>(product.core)].operands[1]);
    const std::int16_t buffer = product.values[product.values[right] != -1 ? right : Plan::resolve(right)];
    if (loop == no_axis || buffer == -1) return no_axis;
    std::size_t copy = no_axis;
    for (std::size_t i = 0; i < Plan::code.stage_count; ++i) {
        const std::size_t other = stage_order<Plan>[i];
        const auto& stage = Plan::code.stages[other];
        if (other == s) break;
        if (stage.kind == stage_kind::map && stage.buffer == buffer) {
            copy = other;
        } else if (copy != no_axis) {
            for (const std::int16_t read : stage.values)
                if (read == buffer) return no_axis;
        }
    }
    if (copy == no_axis) return no_axis;
    const std::size_t around = own_rows_loop<Plan>(copy);
    if (around == no_axis || around == loop || loop_around<Plan>(around) != loop_around<Plan>(loop)) return no_axis;
    std::size_t inside = 0;
    for (std::size_t i = 0; i < Plan::code.item_count; ++i)
        inside += Plan::code.items[i].parent == static_cast<std::int16_t>(around);
    return inside == 1 ? copy : no_axis;
}

/// What product stage `Stage` has to know about the copy that it makes itself.
template <class Plan, class Element, std::size_t Stage, std::size_t Rows, std::size_t Copy>
struct turned_right {
    using operands = product_operands<Plan, Element, Stage, Rows>;
    using element = typename operands::element;
    using config = typename Plan::configuration;
    using copy = map_stage<Plan, Element, Copy, operands::depth>;
    static constexpr product_shape shape{.i = Rows,
                                         .j = operands::columns,
                                         .k = operands::depth,
                                         .si = operands::left_row,
                                         .sk = operands::left_depth,
                                         .vk = operands::right_depth};

    /// The copy reads memory that no stage writes, so it may as well be made later.
    static constexpr bool pays = [] {
        if constexpr (std::is_same_v<typename copy::output, element> &&
                      Plan::nodes[operands::left].excluded != exclusion::zero &&
                      Plan::nodes[Plan::resolve(operands::base::top)].kind != node_kind::masked &&
                      copy::columns == operands::columns && operands::right_column == 1 &&
                      fits_transposing_rhs<element, config, shape>)
            return copy::turns_leaf();
        else
            return false;
    }();

    ASHLAR_ALWAYS_INLINE static const element* source(const frame<Plan, Element>& f) { return copy{{f}}.source(); }
    static constexpr std::size_t distance = pays ? copy::source_distance() : 0;
};
template <class Plan, class Element, std::size_t Stage, std::size_t Rows>
struct turned_right<Plan, Element, Stage, Rows, no_axis> {
    static constexpr bool pays = false;
};

/// Whether loop `Loop` is such a copy.
template <class Plan, class Element, std::size_t Loop>
consteval bool is_left_to_product() {
    constexpr std::size_t product = [] {
        for (std::size_t s = 0; s < Plan::code.stage_count; ++s) {
            const std::size_t copy = copy_before<Plan>(s);
            if (copy != no_axis && own_rows_loop<Plan>(copy) == Loop) return s;
        }
        return no_axis;
    }();
    if constexpr (product == no_axis)
        return false;
    else
        return turned_right<Plan, Element, product, Plan::code.loops[own_rows_loop<Plan>(product)].extent,
                            copy_before<Plan>(product)>::pays;
}

}  // namespace ashlar::detail
