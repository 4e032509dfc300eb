// SPDX-License-Identifier: BSL-1.0
// Where the operands of a product stage lie: their strides, and the coordinates of a row's elements.
#pragma once

#include <ashlar/eval/access/stage_axes.hpp>

namespace ashlar::detail {

template <class Plan, class Element, std::size_t Stage, std::size_t Rows>
struct product_operands : stage_axes<Plan, Element, Stage, Rows> {
    using base = stage_axes<Plan, Element, Stage, Rows>;
    using base::stage, base::width;
    using typename base::config;

    static constexpr auto core = static_cast<std::size_t>(stage.core);
    static constexpr auto left = static_cast<std::size_t>(Plan::nodes[core].operands[0]);
    static constexpr auto right = static_cast<std::size_t>(Plan::nodes[core].operands[1]);
    static constexpr std::size_t left_rank = Plan::nodes[left].rank, right_rank = Plan::nodes[right].rank;
    static constexpr std::size_t depth = Plan::nodes[left].extents[left_rank - 1];
    using element = element_of<typename Plan::template node<core>>;
    using vec = lanes<element, width, config>;
    using reader = typename base::template reader<width>;

    /// Strides of an operand in memory; inside a block, if its columns lie in blocks.
    template <std::size_t Id>
    static consteval stride_result operand_strides() {
        constexpr auto fixed = [] {
            std::array<bool, max_rank> out{};
            for (std::size_t a = 0; a + 2 < Plan::nodes[Id].rank; ++a) out[a] = true;
            if (Id == right && stage.column_block != 0) out[right_rank - 1] = true;
            return out;
        }();
        return reader::template memory_strides<Id, fixed>();
    }
    static constexpr axis_list left_strides = operand_strides<left>().strides;
    static constexpr bool right_is_packed = Plan::nodes[Plan::resolve(right)].kind == node_kind::packed;
    static constexpr axis_list right_strides = [] {
        if constexpr (right_is_packed)
            return axis_list{};
        else
            return operand_strides<right>().strides;
    }();
    static constexpr auto left_row = static_cast<std::size_t>(left_strides[left_rank - 2]);
    static constexpr auto left_depth = static_cast<std::size_t>(left_strides[left_rank - 1]);
    static constexpr auto right_depth = static_cast<std::size_t>(right_strides[right_rank - 2]);
    static constexpr auto right_column = static_cast<std::size_t>(right_strides[right_rank - 1]);

    /// Coordinates of the left operand's element in a row, at depth 0.
    ASHLAR_ALWAYS_INLINE std::array<std::size_t, left_rank> in_left(std::size_t row) const {
        auto at = operand_batch<left>(row);
        at[left_rank - 2] = Plan::nodes[left].extents[left_rank - 2] == 1 ? 0 : row;
        at[left_rank - 1] = 0;
        return at;
    }
    ASHLAR_ALWAYS_INLINE std::array<std::size_t, right_rank> in_right() const {
        auto at = operand_batch<right>(0);
        at[right_rank - 1] = this->first_column();
        return at;
    }

    template <std::size_t Id>
    ASHLAR_ALWAYS_INLINE auto operand_batch(std::size_t row) const {
        constexpr std::size_t rank = Plan::nodes[Id].rank, shift = base::space_rank - rank;
        const auto at = this->in_space(row, 0);
        std::array<std::size_t, rank> out{};
        for (std::size_t a = 0; a + 2 < rank; ++a) out[a] = Plan::nodes[Id].extents[a] == 1 ? 0 : at[a + shift];
        return out;
    }
};

}  // namespace ashlar::detail
