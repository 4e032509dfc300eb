// SPDX-License-Identifier: BSL-1.0
// The operands of a product stage in memory: their strides, and the coordinates of a row's elements.
#pragma once

#include <ashlar/eval/access/stage_axes.hpp>

namespace ashlar::inline v0_1::detail {

template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct product_operands : stage_axes<Plan, Element, Stage, Rows> {
    using base = stage_axes<Plan, Element, Stage, Rows>;
    using base::stage, base::width;
    using typename base::config;

    static constexpr product_facts facts = stage.facts;
    static constexpr auto core = stage.core;
    static constexpr auto left = facts.left, right = facts.right;
    static constexpr std::size_t left_rank = Plan::nodes[left].rank, right_rank = Plan::nodes[right].rank;
    static constexpr std::size_t depth = facts.depth;
    using element = element_of<typename Plan::template node<core>>;
    using vec = lanes<element, width, config>;
    using reader = typename base::template reader<width>;

    static constexpr auto left_row = static_cast<std::size_t>(facts.left_row),
                          left_depth = static_cast<std::size_t>(facts.left_depth),
                          right_depth = static_cast<std::size_t>(facts.right_depth),
                          right_column = static_cast<std::size_t>(facts.right_column);

    /// Coordinates of the left operand's element in a row at the first step of the depth; of the current block if the
    /// depth is summed in blocks of keys.
    ASHLAR_STAGE_INLINE std::array<std::size_t, left_rank> in_left(std::size_t row) const {
        auto at = operand_batch<left>(row);
        at[left_rank - 2] = Plan::nodes[left].extents[left_rank - 2] == 1 ? 0 : row;
        at[left_rank - 1] = 0;
        if constexpr (stage.depth_loop != no_loop) at[left_rank - 1] = this->f.index[stage.depth_loop];
        return at;
    }
    ASHLAR_STAGE_INLINE std::array<std::size_t, right_rank> in_right() const {
        auto at = operand_batch<right>(0);
        if constexpr (stage.depth_loop != no_loop) at[right_rank - 2] = this->f.index[stage.depth_loop];
        at[right_rank - 1] = this->first_column();
        return at;
    }

    template <node_index Id>
    ASHLAR_STAGE_INLINE auto operand_batch(std::size_t row) const {
        constexpr std::size_t rank = Plan::nodes[Id].rank, shift = base::space_rank - rank;
        const auto at = this->in_space(row, 0);
        std::array<std::size_t, rank> out{};
        for (std::size_t a = 0; a + 2 < rank; ++a) out[a] = Plan::nodes[Id].extents[a] == 1 ? 0 : at[a + shift];
        return out;
    }
};

}  // namespace ashlar::detail
