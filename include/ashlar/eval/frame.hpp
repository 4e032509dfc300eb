// SPDX-License-Identifier: BSL-1.0
// What one evaluation carries: the expression, where results go, scratch, and the indices of the loops around it.
#pragma once

#include <array>
#include <cstddef>

#include <ashlar/expr/nodes/coordinates.hpp>
#include <ashlar/plan/build/planned.hpp>

namespace ashlar::detail {

/// Calls f<Axis>() for the axes below Rank: what is a constant for each axis stays one, whatever the optimiser does.
template <std::size_t Rank, class Function>
ASHLAR_STAGE_INLINE constexpr void for_each_axis(Function f) {
    [&]<std::size_t... Axis>(std::index_sequence<Axis...>)
        ASHLAR_STAGE_LAMBDA { (f.template operator()<Axis>(), ...); }(std::make_index_sequence<Rank>{});
}

ASHLAR_BEGIN_OFFSETS

/// Plan is a `planned`, which knows the strides of the destination.
template <class Plan, class Element>
struct frame {
    const typename Plan::expression_type& expression;
    Element* destination;
    std::byte* scratch;
    Element* tile_copy = nullptr;  // where finished tiles are held back until nothing reads their rows any more
    std::ptrdiff_t shift = 0;      // elements before the tile in the destination, when it is held back
    std::array<std::size_t, std::size(Plan::code.loops)> index{};  // of the entry, or of the first row of the tile

    template <std::size_t Id>
    ASHLAR_STAGE_INLINE constexpr const auto& node() const {
        return node_at<Id>(expression);
    }
    template <std::size_t Id>
    using node_of = typename Plan::template node<Id>;

    /// The memory of Buffer as elements Other.
    template <class Other, std::size_t Buffer>
    ASHLAR_STAGE_INLINE Other* buffer() const {
        return reinterpret_cast<Other*>(scratch + Plan::code.buffers[Buffer].offset);
    }

    /// The element of Buffer that belongs to these coordinates of its node.
    template <std::size_t Buffer, std::size_t Rank>
    ASHLAR_STAGE_INLINE std::ptrdiff_t buffer_offset(const std::array<std::size_t, Rank>& at) const {
        std::ptrdiff_t offset = 0;
        for_each_axis<Rank>([&]<std::size_t Axis>() ASHLAR_STAGE_LAMBDA {
            constexpr std::int16_t loop = Plan::code.buffers[Buffer].bindings[Axis];
            constexpr std::ptrdiff_t stride = Plan::code.buffers[Buffer].strides[Axis];
            if constexpr (stride != 0) {
                std::size_t i = at[Axis];
                if constexpr (loop != whole_axis) i -= index[static_cast<std::size_t>(loop)];
                offset += static_cast<std::ptrdiff_t>(i) * stride;
            }
        });
        return offset;
    }
};

ASHLAR_END_OFFSETS

/// Which tile of a stage has `Rows` rows.
template <class Plan, std::size_t Stage, std::size_t Rows>
consteval std::size_t tile_of() {
    constexpr const auto& stage = Plan::code.stages[Stage];
    if (stage.row_axis == no_axis || stage.bindings[stage.row_axis] == whole_axis) return full_tile;
    const plan_loop& loop = Plan::code.loops[static_cast<std::size_t>(stage.bindings[stage.row_axis])];
    return !loop.rows || Rows == loop.tile ? full_tile : last_tile;
}

}  // namespace ashlar::detail
