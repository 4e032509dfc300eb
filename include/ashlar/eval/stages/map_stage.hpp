// SPDX-License-Identifier: BSL-1.0
// The elementwise stage: values computed lane by lane, and copies from one layout to another.
#pragma once

#include <ashlar/eval/access/stage_axes.hpp>
#include <ashlar/kernel/memory/transpose.hpp>

namespace ashlar::detail {

template <class Plan, class Element, std::size_t Stage, std::size_t Rows>
struct map_stage : stage_axes<Plan, Element, Stage, Rows> {
    using base = stage_axes<Plan, Element, Stage, Rows>;
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

    /// Whether it turns columns into rows of a tensor or view, which no stage of the plan writes.
    static consteval bool turns_leaf() {
        if constexpr (rows_in_lanes || !is_transposing_copy())
            return false;
        else
            return Plan::nodes[base::template reader<width>::template memory_node<top>()].kind == node_kind::array;
    }
    /// Where that lies, and the distance from one row of the source, a column here, to the next.
    ASHLAR_ALWAYS_INLINE const output* source() const {
        return typename base::template reader<width>{f}.template address<top>(this->in_top(this->first_row(), 0));
    }
    static consteval std::size_t source_distance() {
        return static_cast<std::size_t>(source_stride(stage.column_axis));
    }

private:
    /// Whether everything read and written is contiguous in the same order, so that rows need not end at a register.
    static consteval bool is_one_line() {
        if (base::rows_are_tiled &&
            Plan::code.loops[static_cast<std::size_t>(stage.bindings[stage.row_axis])].extent != Rows)
            return false;
        if (stage.row_axis == no_axis || Rows == 1 || columns % width == 0 || columns == 1) return false;
        if (stage.buffer != -1 || rows_in_lanes || row_stride != static_cast<std::ptrdiff_t>(columns)) return false;
        if (Plan::nodes[top].size() != Rows * columns) return false;
        return base::template is_flat<top>();
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
            if (Plan::nodes[memory].kind == node_kind::softmax || std::is_same_v<output, bool> ||
                Plan::target.lanes(sizeof(output)) != width)
                return false;
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
        output* out = this->written();
        constexpr bool padded = stage.buffer != -1 && Plan::code.buffers[base::written_buffer].padded;
        if constexpr (rows_in_lanes) {
            constexpr transpose_shape shape{Rows, columns, static_cast<std::size_t>(source_stride(stage.row_axis)),
                                            static_cast<std::size_t>(column_stride), padded};
            transpose_tile<output, config, shape>(source(), out);
        } else {
            constexpr transpose_shape shape{columns, Rows, source_distance(), static_cast<std::size_t>(row_stride),
                                            false};
            transpose_tile<output, config, shape>(source(), out);
        }
    }

    ASHLAR_ALWAYS_INLINE void run_rows_in_lanes() const {
        output* out = this->written();
        const std::size_t first = this->first_row();
        for_each_register<Rows, width>([&](std::size_t i, auto n) ASHLAR_LAMBDA_INLINE {
            for (std::size_t c = 0; c < columns; ++c)
                store_lanes<row_stride, n>(this->template value<n>(first + i, c),
                                           out + static_cast<std::ptrdiff_t>(c) * column_stride +
                                               static_cast<std::ptrdiff_t>(i) * row_stride);
        });
    }
    ASHLAR_ALWAYS_INLINE void run_columns_in_lanes() const {
        for_each_group<Rows, found.shares ? at_once : 1>(
            [&](std::size_t row, auto count) ASHLAR_LAMBDA_INLINE { rows<count>(this->first_row() + row); });
    }

    /// What a walk from the top through elementwise nodes finds.
    struct findings {
        bool cheap = true;    // some operations for each element, of which several make one block of code
        bool shares = false;  // rows read the same elements
        std::size_t operations = 0;
        std::size_t normalised = no_axis;  // a node whose row factors stay the same along a row of this stage

        constexpr void add(const findings& o) {
            cheap = cheap && o.cheap;
            shares = shares || o.shares;
            operations += o.operations;
            if (normalised == no_axis) normalised = o.normalised;
        }
    };
    template <std::size_t Id>
    static consteval findings look() {
        constexpr const graph_node& n = Plan::nodes[Id];
        constexpr bool factors = stage.factors[Id] != -1;
        findings out{.operations = 1};
        if constexpr (n.kind == node_kind::scalar) {
            out.operations = 0;
        } else if constexpr ((n.kind == node_kind::array || stage.values[Id] != -1) && !factors) {
            out.shares = n.size() != Plan::nodes[top].size();
        } else if constexpr ((n.kind == node_kind::softmax || n.kind == node_kind::standardize) && factors) {
            out.operations = 2;
            bool same = stage.space == stage.top && n.rank == Plan::nodes[top].rank && n.axis == stage.column_axis;
            for (std::size_t a = 0; same && a < n.rank; ++a) same = n.extents[a] == Plan::nodes[top].extents[a];
            if (same) out.normalised = Id;
            constexpr bool reads_operand =
                n.kind == node_kind::standardize || n.variant != static_cast<std::uint8_t>(softmax_kind::plain);
            if constexpr (reads_operand)
                out.add(look<static_cast<std::size_t>(n.operands[0])>());
            else
                out.cheap = base::template reader<width>::template masked_below<Id>() == no_axis;
        } else if constexpr (n.kind == node_kind::map) {
            out.cheap = is_one_operation<decltype(Plan::template node<Id>::function)>();
            [&]<std::size_t... Index>(std::index_sequence<Index...>) {
                (out.add(look<static_cast<std::size_t>(Plan::nodes[Id].operands[Index])>()), ...);
            }(std::make_index_sequence<Plan::nodes[Id].operand_count>{});
        } else if constexpr (n.kind == node_kind::let || n.kind == node_kind::let_value) {
            // Another use of the name may read other rows of what it stands for.
            out = look<static_cast<std::size_t>(n.same_as)>();
            out.normalised = no_axis;
        } else if constexpr (n.kind == node_kind::store) {
            return look<static_cast<std::size_t>(n.operands[0])>();
        } else {
            out.cheap = is_index_map(n.kind) && base::template reader<width>::template memory_node<Id>() != no_axis;
            out.shares = out.cheap;
        }
        return out;
    }
    /// Whether a function is about one instruction: not one with a series inside, nor a user's own.
    template <class Function>
    static consteval bool is_one_operation() {
        if constexpr (requires {
                          Function::flops;
                          Function::arguments;
                      })
            return Function::arguments != takes::floating;
        else
            return requires { Function::flops; };
    }

public:
    static constexpr findings found = look<top>();
    /// Registers that are computed before the first of them is stored: a store might change what is loaded after it,
    /// for all that the compiler knows.
    static constexpr std::size_t at_once = !found.cheap || found.operations > 16 || Plan::target.registers < 16 ? 1
                                           : Plan::target.registers < 32                                        ? 2
                                                                                                                : 4;

    /// Count rows side by side, which share what they read of neither; or one row, several registers at a time.
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE void rows(std::size_t first) const {
        if constexpr (Count > at_once) {
            for (std::size_t q = 0; q < Count; ++q) rows<1>(first + q);
        } else {
            rows_walk<Count> walk(*this, first);
            constexpr std::size_t registers = at_once / Count, whole = columns / width, step = registers * width;
            constexpr std::size_t end = whole / registers * step;
            constexpr std::integral_constant<std::size_t, width> full{};
            for (std::size_t c = 0; c < end; c += step) walk.template block<registers>(c, full);
            if constexpr (whole % registers != 0) walk.template block<whole % registers>(end, full);
            if constexpr (columns % width != 0)
                walk.template block<1>(whole * width, std::integral_constant<std::size_t, columns % width>{});
        }
    }

    /// Count rows, some registers of columns at a time.
    template <std::size_t Count>
    struct rows_walk {
        ASHLAR_ALWAYS_INLINE static auto factors_of(const map_stage& stage_, std::size_t row) {
            if constexpr (found.normalised == no_axis)
                return 0;
            else
                return typename base::template reader<width>{stage_.f}
                    .template hold_factors<found.normalised, base::top_steps>(stage_.in_top(row, 0));
        }
        using factors = decltype(factors_of(std::declval<const map_stage&>(), 0));

        const map_stage& s;
        std::size_t first;
        output* out;
        factors held[Count];

        ASHLAR_ALWAYS_INLINE rows_walk(const map_stage& stage_, std::size_t row)
            : s(stage_),
              first(row),
              out(s.written() + static_cast<std::ptrdiff_t>(first - s.first_row()) * row_stride) {
            ASHLAR_UNROLL
            for (std::size_t q = 0; q < Count; ++q) held[q] = factors_of(s, first + q);
        }
        template <std::size_t Registers, std::size_t Width>
        ASHLAR_ALWAYS_INLINE void block(std::size_t column, std::integral_constant<std::size_t, Width>) const {
            decltype(s.template value<Width>(first, column, held[0])) values[Count * Registers];
            ASHLAR_UNROLL
            for (std::size_t k = 0; k < Count * Registers; ++k)
                values[k] =
                    s.template value<Width>(first + k / Registers, column + k % Registers * width, held[k / Registers]);
            ASHLAR_UNROLL
            for (std::size_t k = 0; k < Count * Registers; ++k)
                store_lanes<column_stride, Width>(
                    values[k], out + static_cast<std::ptrdiff_t>(k / Registers) * row_stride +
                                   static_cast<std::ptrdiff_t>(column + k % Registers * width) * column_stride);
        }
    };
};

}  // namespace ashlar::detail
