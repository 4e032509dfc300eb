// SPDX-License-Identifier: BSL-1.0
// The elementwise stage: values computed lane by lane, and copies from one layout to another.
#pragma once

#include <ashlar/eval/stage_axes.hpp>
#include <ashlar/kernel/transpose.hpp>

namespace ashlar::detail {

template <class P, class T, std::size_t Stage, std::size_t Rows>
struct map_stage : stage_axes<P, T, Stage, Rows> {
    using base = stage_axes<P, T, Stage, Rows>;
    using base::f, base::stage, base::columns, base::width, base::row_stride, base::column_stride, base::rows_in_lanes,
        base::top;
    using typename base::config;
    using typename base::output;

    ASHLAR_ALWAYS_INLINE void run() const {
        if constexpr (is_one_line())
            run_line();
        else if constexpr (is_transposing_copy())
            run_transpose();
        else if constexpr (rows_in_lanes)
            run_rows_in_lanes();
        else
            run_columns_in_lanes();
    }

private:
    /// Whether everything read and written is contiguous in the same order, so that rows need not end at a register.
    static consteval bool is_one_line() {
        if (base::rows_are_tiled && P::code.loops[static_cast<std::size_t>(stage.bindings[stage.row_axis])].extent != Rows) return false;
        if (stage.row_axis == no_axis || Rows == 1 || columns % width == 0 || columns == 1) return false;
        if (stage.buffer != -1 || rows_in_lanes || row_stride != static_cast<std::ptrdiff_t>(columns)) return false;
        if (P::nodes[top].size() != Rows * columns) return false;
        return is_flat<top>();
    }
    template <std::size_t Id>
    static consteval bool is_flat() {
        constexpr const graph_node& n = P::nodes[Id];
        if constexpr (n.kind == op::scalar) {
            return true;
        } else if constexpr (n.kind == op::array) {
            std::ptrdiff_t step = 1;
            for (std::size_t a = n.rank; a-- > 0;) {
                if (n.extents[a] != 1 && n.strides[a] != step) return false;
                step *= static_cast<std::ptrdiff_t>(n.extents[a]);
            }
            return n.rank != 0 && n.size() == P::nodes[top].size() && n.extents[n.rank - 1u] == columns;
        } else if constexpr (n.kind == op::map && stage.values[Id] == -1) {
            bool flat = true;
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                ((flat = flat && is_flat<static_cast<std::size_t>(P::nodes[Id].operands[I])>()), ...);
            }(std::make_index_sequence<P::nodes[Id].operand_count>{});
            return flat && n.size() == P::nodes[top].size();
        } else {
            return false;
        }
    }
    ASHLAR_ALWAYS_INLINE void run_line() const {
        output* out = this->written();
        for_each_register<Rows * columns, width>([&](std::size_t i, auto n) ASHLAR_LAMBDA_INLINE {
            store_lanes<1, n>(this->template value<n>(0, i), out + i);
        });
    }

    /// Whether the stage only turns rows into lanes, or back, of what lies in memory in the other order.
    static consteval bool is_transposing_copy() {
        using lane_values = typename base::template reader<width>;
        constexpr std::size_t memory = lane_values::template memory_node<top>();
        if constexpr (memory == no_axis || stage.row_axis == no_axis || stage.column_axis == no_axis) {
            return false;
        } else {
            if (P::nodes[memory].kind == op::softmax || std::is_same_v<output, bool> || P::target.lanes(sizeof(output)) != width) return false;
            constexpr std::ptrdiff_t r = source_stride(stage.row_axis), c = source_stride(stage.column_axis);
            return rows_in_lanes ? c == 1 && row_stride == 1 && r > 1 : r == 1 && column_stride == 1 && c > 1;
        }
    }
    static consteval std::ptrdiff_t source_stride(std::size_t axis) {
        using lane_values = typename base::template reader<width>;
        constexpr auto fixed = [] {
            std::array<bool, max_rank> out{};
            for (std::size_t a = 0; a < base::top_rank; ++a) out[a] = a != stage.row_axis && a != stage.column_axis;
            return out;
        }();
        constexpr stride_result m = lane_values::template memory_strides<top, fixed>();
        return m.affine ? m.strides[axis] : 0;
    }
    ASHLAR_ALWAYS_INLINE void run_transpose() const {
        using lane_values = typename base::template reader<width>;
        const output* source = lane_values{f}.template address<top>(this->in_top(this->first_row(), 0));
        output* out = this->written();
        constexpr bool padded = stage.buffer != -1 && P::code.buffers[base::written_buffer].padded;
        if constexpr (rows_in_lanes) {
            constexpr transpose_shape shape{Rows, columns, static_cast<std::size_t>(source_stride(stage.row_axis)),
                                            static_cast<std::size_t>(column_stride), padded};
            transpose_tile<output, config, shape>(source, out);
        } else {
            constexpr transpose_shape shape{columns, Rows, static_cast<std::size_t>(source_stride(stage.column_axis)),
                                            static_cast<std::size_t>(row_stride), false};
            transpose_tile<output, config, shape>(source, out);
        }
    }

    ASHLAR_ALWAYS_INLINE void run_rows_in_lanes() const {
        output* out = this->written();
        const std::size_t first = this->first_row();
        for_each_register<Rows, width>([&](std::size_t i, auto n) ASHLAR_LAMBDA_INLINE {
            for (std::size_t c = 0; c < columns; ++c)
                store_lanes<row_stride, n>(this->template value<n>(first + i, c),
                                           out + static_cast<std::ptrdiff_t>(c) * column_stride + static_cast<std::ptrdiff_t>(i) * row_stride);
        });
    }
    ASHLAR_ALWAYS_INLINE void run_columns_in_lanes() const {
        output* out = this->written();
        const std::size_t first = this->first_row();
        for (std::size_t r = 0; r < Rows; ++r)
            for_each_register<columns, width>([&](std::size_t c, auto n) ASHLAR_LAMBDA_INLINE {
                store_lanes<column_stride, n>(this->template value<n>(first + r, c),
                                              out + static_cast<std::ptrdiff_t>(r) * row_stride + static_cast<std::ptrdiff_t>(c) * column_stride);
            });
    }
};

}  // namespace ashlar::detail
