// SPDX-License-Identifier: BSL-1.0
// Coordinates of a stage: from a row and a column to the axes of the nodes that it reads and writes.
#pragma once

#include <ashlar/eval/access/lane_reader.hpp>
#include <ashlar/eval/access/score_scale.hpp>

namespace ashlar::inline v0_1::detail {

ASHLAR_BEGIN_OFFSETS

/// The element type of the memory that a stage writes.
template <bool NarrowStore>
struct written_elements {
    template <class Plan, node_index Top, node_index>
    using type = stored<Plan::nodes[Top].narrows(), typename Plan::template node<Top>>;
};
template <>
struct written_elements<true> {
    template <class Plan, node_index, node_index Store>
    using type = typename decltype(Plan::template node<Store>::destination)::value_type;
};

/// Rows is the number of rows of a full tile or of the last one, a constant.
template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct stage_axes {
    static constexpr auto stage = Plan::code.stages[Stage];
    /// The strategy for this number of rows.
    static constexpr stage_strategy strategy = stage.how[tile_of<Plan, Stage, Rows>()];
    static constexpr auto top = stage.top;
    static constexpr auto space = stage.space;
    static constexpr std::size_t space_rank = Plan::nodes[space].rank, top_rank = Plan::nodes[top].rank;
    static constexpr std::size_t all_columns =
        stage.column_axis == no_axis ? 1 : Plan::nodes[space].extents[stage.column_axis];
    /// The loop over tiles of columns; whole_axis if there is none.
    static constexpr loop_index column_loop = stage.column_axis == no_axis ||
                                                      stage.bindings[stage.column_axis] == whole_axis ||
                                                      !Plan::code.loops[stage.bindings[stage.column_axis]].columns
                                                  ? whole_axis
                                                  : stage.bindings[stage.column_axis];
    /// The same if its tiles are blocks of keys.
    static constexpr loop_index key_loop =
        column_loop != whole_axis && Plan::code.loops[column_loop == whole_axis ? loop_index{} : column_loop].keys
            ? column_loop
            : whole_axis;
    static constexpr std::size_t columns =
        column_loop == whole_axis ? all_columns
                                  : Plan::code.loops[column_loop == whole_axis ? loop_index{} : column_loop].tile;
    static constexpr bool rows_in_lanes = stage.lanes == lane_axis::rows;
    static constexpr std::size_t width = stage.width;
    using config = typename Plan::configuration;
    static constexpr bool narrow_store =
        stage.store != no_node && Plan::nodes[stage.store == no_node ? Plan::root : stage.store].narrow;
    using output = typename written_elements<narrow_store>::template type<Plan, top, stage.store>;

    const frame<Plan, Element>& f;
    /// The factor of scores, if the stage applies it: to what it writes, or to finished sums.
    static constexpr bool scales_rows = stage.factor == score_factor::in_rows;
    using scale_type = std::conditional_t<scales_rows || stage.factor == score_factor::in_scores,
                                          score_scale<Plan, Stage>, no_score_scale>;
    [[no_unique_address]] scale_type scale = scale_type::of(&f.expression);

    /// The first row of the tile.
    ASHLAR_STAGE_INLINE std::size_t first_row() const {
        if constexpr (stage.row_axis == no_axis || stage.bindings[stage.row_axis] == whole_axis)
            return 0;
        else
            return f.index[stage.bindings[stage.row_axis]];
    }

    /// The first column of the tile; columns are counted from it.
    ASHLAR_STAGE_INLINE std::size_t first_column() const {
        if constexpr (column_loop == whole_axis)
            return 0;
        else
            return f.index[column_loop];
    }

    ASHLAR_STAGE_INLINE std::array<std::size_t, space_rank> in_space(std::size_t row, std::size_t column) const {
        auto at = picked_indices<spelled_out(stage.bindings)>(f.index, std::make_index_sequence<space_rank>{});
        if constexpr (stage.column_axis != no_axis) at[stage.column_axis] = first_column() + column;
        if constexpr (stage.row_axis != no_axis) at[stage.row_axis] = row;
        return at;
    }
    ASHLAR_STAGE_INLINE std::array<std::size_t, top_rank> in_top(std::size_t row, std::size_t column) const {
        if constexpr (has_axes_of_space)
            return in_space(row, column);
        else
            return picked_indices<spelled_out(stage.top_axes)>(in_space(row, column),
                                                               std::make_index_sequence<top_rank>{});
    }

    /// Whether top has the axes of the space in the same order.
    static constexpr bool has_axes_of_space = [] {
        if (top_rank != space_rank) return false;
        const graph_node &made = Plan::nodes[top], &worked = Plan::nodes[space];
        for (std::size_t a = 0; a < space_rank; ++a)
            if (made.extents[a] != worked.extents[a] || (made.extents[a] != 1 && stage.top_axes[a] != a)) return false;
        return true;
    }();

    /// Steps of top's axes from lane to lane.
    static constexpr auto top_steps = [] {
        lane_steps<top_rank> s{};
        const std::size_t lane = rows_in_lanes ? stage.row_axis : stage.column_axis;
        for (std::size_t t = 0; t < top_rank; ++t)
            if (lane != no_axis && stage.top_axes[t] == lane) s[t] = 1;
        return spelled_out(s);
    }();

    /// Strides in the written memory between neighbouring rows and columns.
    static consteval std::ptrdiff_t stride_of(std::size_t axis) {
        for (std::size_t t = 0; t < top_rank; ++t)
            if (axis != no_axis && stage.top_axes[t] == axis) return stage.strides[t];
        return 0;
    }
    static constexpr std::ptrdiff_t row_stride = stride_of(stage.row_axis);
    static constexpr std::ptrdiff_t column_stride = stride_of(stage.column_axis);

    /// The address of the element at column 0 of the tile's first row.
    ASHLAR_STAGE_INLINE output* written() const {
        const std::ptrdiff_t offset = stage.origin + offset_of(f.index, loop_strides);
        if constexpr (stage.buffer != no_buffer)
            return f.template buffer<output, stage.buffer>() + offset;
        else if constexpr (stage.store != no_node)
            return const_cast<output*>(node_at<stage.store>(f.expression).destination.data()) + offset;
        else
            return f.destination + (offset - f.shift);
    }

    static constexpr buffer_index written_buffer = stage.buffer == no_buffer ? buffer_index{} : stage.buffer;

    /// Strides in the written memory between neighbouring entries of each loop around the stage; 0 if the buffer holds
    /// only the current entries.
    static constexpr auto loop_strides = [] {
        std::array<std::ptrdiff_t, std::size(Plan::code.loops)> strides{};
        for (std::size_t t = 0; t < top_rank; ++t) {
            const loop_index loop = stage.top_axes[t] == no_axis ? whole_axis : stage.bindings[stage.top_axes[t]];
            const bool is_column = stage.top_axes[t] == stage.column_axis;
            bool moves = loop != whole_axis && (!is_column || loop == column_loop);
            if (stage.buffer != no_buffer)
                for (const loop_index held : Plan::code.buffers[written_buffer].bindings) moves = moves && held != loop;
            if (moves) strides[loop] += stage.strides[t];
        }
        return strides;
    }();

    template <std::size_t LaneCount, bool Unmasked = false>
    using reader = lane_reader<Plan, Element, Stage, width, LaneCount, Unmasked>;

    /// The value to write for LaneCount lanes that start at (row, column).
    template <std::size_t LaneCount, bool Unmasked = false, class Hole = int>
    ASHLAR_STAGE_INLINE auto value(std::size_t row, std::size_t column, const Hole& hole = 0) const {
        const auto x = reader<LaneCount, Unmasked>{f}.template value<top, top_steps>(in_top(row, column), hole);
        if constexpr (scales_rows)
            return x * scale.value;
        else
            return x;
    }
};

/// Calls f(offset, lane_count) for each register of `Extent` consecutive elements.
template <std::size_t Extent, std::size_t Width, class Function>
ASHLAR_STAGE_INLINE void for_each_register(Function f) {
    constexpr std::size_t full = Extent / Width * Width;
    for (std::size_t i = 0; i < full; i += Width) f(i, std::integral_constant<std::size_t, Width>{});
    if constexpr (full != Extent) f(full, std::integral_constant<std::size_t, Extent - full>{});
}

/// Calls f(offset, count) for groups of `Largest` of `Extent` consecutive rows, then for the rest in smaller powers of
/// two. `Largest` is a power of two.
template <std::size_t Extent, std::size_t Largest, class Function>
ASHLAR_STAGE_INLINE void for_each_group(Function f) {
    constexpr std::size_t full = Extent / Largest * Largest;
    for (std::size_t i = 0; i < full; i += Largest) f(i, std::integral_constant<std::size_t, Largest>{});
    if constexpr (full != Extent)
        for_each_group<Extent - full, Largest / 2>([&](std::size_t i, auto n) ASHLAR_STAGE_LAMBDA { f(full + i, n); });
}

ASHLAR_END_OFFSETS

}  // namespace ashlar::detail
