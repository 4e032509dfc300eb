// SPDX-License-Identifier: BSL-1.0
// What one evaluation carries: the expression, where results go, scratch, and the indices of the loops around it.
#pragma once

#include <array>
#include <cstddef>

#include <ashlar/expr/nodes/coordinates.hpp>
#include <ashlar/plan/build/planned.hpp>

namespace ashlar::inline v0_1::detail {

ASHLAR_BEGIN_OFFSETS

/// Elements from the first one of some memory to the one at these coordinates; the strides are constants. No loops
/// here: clang would keep the coordinates in memory until it has unrolled them.
template <std::size_t Rank, std::size_t Count, std::size_t... Axis>
ASHLAR_ALWAYS_INLINE constexpr std::ptrdiff_t offset_of(
    [[maybe_unused]] const std::array<std::size_t, Rank>& at,
    [[maybe_unused]] const std::array<std::ptrdiff_t, Count>& strides, std::index_sequence<Axis...>) {
    return (std::ptrdiff_t{0} + ... + (static_cast<std::ptrdiff_t>(at[Axis]) * strides[Axis]));
}
template <std::size_t Rank, std::size_t Count>
ASHLAR_ALWAYS_INLINE constexpr std::ptrdiff_t offset_of(const std::array<std::size_t, Rank>& at,
                                                        const std::array<std::ptrdiff_t, Count>& strides) {
    return offset_of(at, strides, std::make_index_sequence<Rank>{});
}
/// From the element at one place to that at another.
template <std::size_t Rank, std::size_t... Axis>
ASHLAR_ALWAYS_INLINE constexpr std::array<std::size_t, Rank> steps_between(
    [[maybe_unused]] const std::array<std::size_t, Rank>& from,
    [[maybe_unused]] const std::array<std::size_t, Rank>& to, std::index_sequence<Axis...>) {
    return {(to[Axis] - from[Axis])...};
}

/// For each axis the index that `from` has there, 0 where it has none. Without a loop: clang would keep `from` in
/// memory.
template <std::size_t Axis, std::size_t Count>
ASHLAR_ALWAYS_INLINE constexpr std::size_t picked_index([[maybe_unused]] const std::array<std::size_t, Count>& from) {
    if constexpr (Axis >= Count)
        return 0;
    else
        return from[Axis];
}
template <auto Axes, std::size_t Count, std::size_t... Index>
ASHLAR_ALWAYS_INLINE constexpr std::array<std::size_t, sizeof...(Index)> picked_indices(
    [[maybe_unused]] const std::array<std::size_t, Count>& from, std::index_sequence<Index...>) {
    return {picked_index<Axes[Index]>(from)...};
}
/// What limits the rows of an evaluation: nothing if all are computed.
template <class Rows>
struct limit_reference {
    const Rows* rows = nullptr;
    std::size_t least = 0;  // what others need of them

    /// How many rows there are at most of entries of Result; of an axis that `at` does not know, of any entry.
    template <class Result, std::size_t Rank>
    ASHLAR_ALWAYS_INLINE constexpr std::size_t most(const std::array<std::size_t, Rank>& at) const {
        const std::size_t own = rows->template most<Result>(at);
        return own > least ? own : least;
    }
};
template <>
struct limit_reference<all_rows> {};

/// How many rows of the tile at hand are asked for, or more than it has: all, where no loop stops early.
template <bool AreLimited>
struct asked_rows {
    std::size_t count = 0;
};
template <>
struct asked_rows<false> {};

/// Which of how many parts of a product's columns is computed: all, where workers share none.
struct column_part {
    std::size_t number = 0, count = 1;
};
struct all_columns {};

/// Plan is a `planned`, which knows the strides of the destination.
template <class Plan, class Element>
struct frame {
    const typename Plan::expression_type& expression;
    Element* destination;
    std::byte* scratch;
    Element* tile_copy = nullptr;  // where finished rows are staged until nothing of the tile is read any more
    std::ptrdiff_t shift = 0;      // elements before the tile in the destination, when its rows are staged
    /// Of the entry, or of the first row of the tile; and, behind those of the loops, bytes from the scratch of the
    /// first worker to that of the one who runs this.
    std::array<std::size_t, std::size(Plan::code.loops)> index{};
    static constexpr std::size_t worker_index = std::size(Plan::code.loops) - 1;
    [[no_unique_address]] limit_reference<typename Plan::rows_type> limit{};
    [[no_unique_address]] std::conditional_t<Plan::target.worker_columns, column_part, all_columns> part{};
    [[no_unique_address]] asked_rows<Plan::rows_type::are_limited> asked{};

    template <node_index Id>
    using node_of = typename Plan::template node<Id>;

    /// The memory of Buffer as elements Other.
    template <class Other, buffer_index Buffer>
    ASHLAR_STAGE_INLINE Other* buffer() const {
        if constexpr (Plan::code.buffers[Buffer].of_worker)
            return reinterpret_cast<Other*>(scratch + Plan::code.buffers[Buffer].offset + index[worker_index]);
        else
            return reinterpret_cast<Other*>(scratch + Plan::code.buffers[Buffer].offset);
    }

    /// The element of Buffer that belongs to these coordinates of its node.
    template <buffer_index Buffer, std::size_t Rank>
    ASHLAR_STAGE_INLINE std::ptrdiff_t buffer_offset(const std::array<std::size_t, Rank>& at) const {
        if constexpr (Plan::code.buffers[Buffer].bindings == all_whole) {
            return offset_of(at, Plan::code.buffers[Buffer].strides);
        } else {
            constexpr std::make_index_sequence<Rank> axes;
            const auto current = picked_indices<spelled_out(Plan::code.buffers[Buffer].bindings)>(index, axes);
            return offset_of(steps_between(current, at, axes), Plan::code.buffers[Buffer].strides);
        }
    }
};

ASHLAR_END_OFFSETS

/// Rows that a stage handles when its tile has `Rows`.
template <class Plan, stage_index Stage, std::size_t Rows>
consteval std::size_t stage_rows() {
    constexpr auto stage = Plan::code.stages[Stage];
    if constexpr (stage.row_axis == no_axis) {
        return 1;
    } else {
        constexpr loop_index loop = stage.bindings[stage.row_axis];
        if (loop == whole_axis) return Plan::nodes[stage.space].extents[stage.row_axis];
        return Plan::code.loops[loop].rows ? Rows : 1;
    }
}

/// Which tile of a stage has `Rows` rows.
template <class Plan, stage_index Stage, std::size_t Rows>
consteval std::size_t tile_of() {
    constexpr const auto& stage = Plan::code.stages[Stage];
    if constexpr (stage.row_axis == no_axis || stage.bindings[stage.row_axis] == whole_axis) {
        return full_tile;
    } else {
        const plan_loop& loop = Plan::code.loops[stage.bindings[stage.row_axis]];
        return !loop.rows || Rows == loop.tile ? full_tile : last_tile;
    }
}

}  // namespace ashlar::detail
