// SPDX-License-Identifier: BSL-1.0
// The state of one evaluation: the expression, the destination, scratch, and the indices of the loops around the
// current stage.
#pragma once

#include <array>
#include <cstddef>

#include <ashlar/expr/nodes/coordinates.hpp>
#include <ashlar/plan/build/planned.hpp>

namespace ashlar::inline v0_1::detail {

ASHLAR_BEGIN_OFFSETS

/// The offset in elements of these coordinates; strides are constants. No loops: clang would keep the coordinates in
/// memory until it has unrolled them.
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
/// The offset between the elements at two places.
template <std::size_t Rank, std::size_t... Axis>
ASHLAR_ALWAYS_INLINE constexpr std::array<std::size_t, Rank> steps_between(
    [[maybe_unused]] const std::array<std::size_t, Rank>& from,
    [[maybe_unused]] const std::array<std::size_t, Rank>& to, std::index_sequence<Axis...>) {
    return {(to[Axis] - from[Axis])...};
}

/// For each axis the index of `from` there, or 0 if it has none. No loop: clang would keep `from` in memory.
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
/// The limit of an evaluation's rows; none if all are computed.
template <class Rows>
struct limit_reference {
    const Rows* rows = nullptr;
    std::size_t least = 0;  // what others need of them

    /// The maximum rows of entries of Result; over all entries of an axis that `at` does not know.
    template <class Result, std::size_t Rank>
    ASHLAR_ALWAYS_INLINE constexpr std::size_t most(const std::array<std::size_t, Rank>& at) const {
        const std::size_t own = rows->template most<Result>(at);
        return own > least ? own : least;
    }
};
template <>
struct limit_reference<all_rows> {};

/// The requested rows of the current tile, or more than it has: all, if no loop ends early.
template <bool AreLimited>
struct requested_rows {
    std::size_t count = 0;
};
template <>
struct requested_rows<false> {};

/// Which part of a product's columns is computed: all, unless workers share them.
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
    /// Indices of the entry, or of the first row of the tile. After those of the loops, the offset in bytes from the
    /// scratch of the first worker to that of the current one.
    std::array<std::size_t, std::size(Plan::code.loops)> index{};
    static constexpr std::size_t worker_index = std::size(Plan::code.loops) - 1;
    [[no_unique_address]] limit_reference<typename Plan::rows_type> limit{};
    [[no_unique_address]] std::conditional_t<Plan::target.worker_columns, column_part, all_columns> part{};
    [[no_unique_address]] requested_rows<Plan::rows_type::are_limited> asked{};

    template <node_index Id>
    using node_of = typename Plan::template node<Id>;

    /// The memory of Buffer as elements of type Other.
    template <class Other, buffer_index Buffer>
    ASHLAR_STAGE_INLINE Other* buffer() const {
        if constexpr (Plan::code.buffers[Buffer].of_worker)
            return reinterpret_cast<Other*>(scratch + Plan::code.buffers[Buffer].offset + index[worker_index]);
        else
            return reinterpret_cast<Other*>(scratch + Plan::code.buffers[Buffer].offset);
    }

    /// The offset in Buffer of these coordinates of its node.
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

/// Rows of a stage if its tile has `Rows`.
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
