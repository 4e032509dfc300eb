// SPDX-License-Identifier: BSL-1.0
// The elementwise stage: values computed lane by lane, and copies from one layout to another.
#pragma once

#include <ashlar/eval/access/arrays_read.hpp>
#include <ashlar/eval/access/stage_axes.hpp>
#include <ashlar/kernel/memory/stream.hpp>
#include <ashlar/kernel/memory/transpose.hpp>

namespace ashlar::inline v0_1::detail {

template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct map_stage : stage_axes<Plan, Element, Stage, Rows> {
    using base = stage_axes<Plan, Element, Stage, Rows>;
    using base::f, base::stage, base::columns, base::width, base::row_stride, base::column_stride, base::rows_in_lanes,
        base::top;
    using typename base::config;
    using typename base::output;
    static constexpr map_strategy how = base::strategy.map;
    static constexpr bool ends_at_register =
        stage.buffer != no_buffer && Plan::code.buffers[base::written_buffer].padded;

    ASHLAR_STAGE_ROOT ASHLAR_STAGE_INLINE void run() const {
        if constexpr (how.past_caches != 0)
            if (run_past_caches()) return;
        if constexpr (how.form == map_form::one_line)
            run_line();
        else if constexpr (how.form == map_form::transposing_copy)
            run_transpose();
        else if constexpr (how.form == map_form::rows_in_lanes)
            run_rows_in_lanes();
        else
            run_columns_in_lanes();
    }

    /// The source of a transposing copy, and the stride between rows of the source, which are columns here.
    ASHLAR_STAGE_INLINE const output* source() const {
        return typename base::template reader<width>{f}.template address<top>(this->in_top(this->first_row(), 0));
    }
    static consteval std::size_t source_distance() {
        return static_cast<std::size_t>(source_stride(stage.column_axis));
    }

private:
    /// Stores whole registers past the caches. Elements before the first and after the last whole register are computed
    /// twice, so they must not be read from the destination. It does not pay if lines of the destination have been
    /// read, if finished rows are staged, or if so many arrays are equal that the result stays in a cache. Returns
    /// whether it stored.
    ASHLAR_STAGE_INLINE bool run_past_caches() const {
        const std::size_t before = elements_before_register<width>(this->written());
        const arrays_read read = arrays_of(f);
        if (f.tile_copy != nullptr || before == width || read.is_destination ||
            Plan::nodes[top].size() * sizeof(output) + read.bytes < how.past_caches)
            return false;
        if constexpr (how.form == map_form::one_line)
            rows_past_caches<1, Rows * columns>(0, before);
        else
            for_each_group<Rows, how.rows>([&](std::size_t row, auto count) ASHLAR_STAGE_LAMBDA {
                rows_past_caches<count, columns>(this->first_row() + row, before);
            });
        finish_streams<config>();
        return true;
    }
    template <std::size_t Count, std::size_t Columns>
    ASHLAR_STAGE_INLINE void rows_past_caches(std::size_t first, std::size_t before) const {
        constexpr std::size_t registers = how.registers / Count, step = registers * width;
        constexpr std::integral_constant<std::size_t, width> full{};
        rows_walk<Count> walk(*this, first);
        if (before != 0) walk.template block<1>(0, full);
        std::size_t c = before;
        for (; c + step <= Columns; c += step) walk.template block<registers, true>(c, full);
        for (; c + width <= Columns; c += width) walk.template block<1, true>(c, full);
        if (c != Columns) walk.template block<1>(Columns - width, full);
    }

    ASHLAR_STAGE_INLINE void run_line() const {
        output* out = this->written();
        for_each_register<Rows * columns, width>([&](std::size_t i, auto n) ASHLAR_STAGE_LAMBDA {
            store_lanes<1, n>(this->template value<n>(0, i), out + i);
        });
    }

    static consteval std::ptrdiff_t source_stride(std::size_t axis) {
        constexpr auto fixed = [] {
            std::array<bool, max_rank> out{};
            for (std::size_t a = 0; a < base::top_rank; ++a) out[a] = a != stage.row_axis && a != stage.column_axis;
            return out;
        }();
        constexpr stride_result m = base::template reader<width>::memory.strides(stage.top, fixed);
        return m.affine ? m.strides[axis] : 0;
    }
    /// The factor of a copy.
    struct scaled {
        output factor;
        template <class Lanes>
        ASHLAR_ALWAYS_INLINE Lanes operator()(Lanes x) const {
            return x * factor;
        }
    };
    ASHLAR_STAGE_INLINE void run_transpose() const {
        output* out = this->written();
        if constexpr (rows_in_lanes) {
            constexpr transpose_shape shape{Rows, columns, static_cast<std::size_t>(source_stride(stage.row_axis)),
                                            static_cast<std::size_t>(column_stride), ends_at_register};
            if constexpr (base::scales_rows)
                transpose_tile<output, config, shape>(source(), out, scaled{this->scale.value});
            else
                transpose_tile<output, config, shape>(source(), out);
        } else {
            constexpr transpose_shape shape{columns, Rows, source_distance(), static_cast<std::size_t>(row_stride),
                                            false};
            static_assert(!base::scales_rows);
            transpose_tile<output, config, shape>(source(), out);
        }
    }

    /// If lines end at a full register, the lanes after the last row are written too: a stage that reads the whole
    /// register would find old scratch there.
    ASHLAR_STAGE_INLINE void run_rows_in_lanes() const {
        output* out = this->written();
        const std::size_t first = this->first_row();
        for_each_register<Rows, width>([&](std::size_t i, auto n) ASHLAR_STAGE_LAMBDA {
            constexpr std::size_t stored = row_stride == 1 && ends_at_register ? width : n;
            for (std::size_t c = 0; c < columns; ++c)
                store_lanes<row_stride, stored>(this->template value<n>(first + i, c),
                                                out + static_cast<std::ptrdiff_t>(c) * column_stride +
                                                    static_cast<std::ptrdiff_t>(i) * row_stride);
        });
    }
    ASHLAR_STAGE_INLINE void run_columns_in_lanes() const {
        for_each_group<Rows, how.rows>([&](std::size_t row, auto count)
                                           ASHLAR_STAGE_LAMBDA { rows<count>(this->first_row() + row); });
    }

public:
    /// Count rows side by side that share operands, or one row with several registers at a time.
    template <std::size_t Count>
    ASHLAR_STAGE_INLINE void rows(std::size_t first) const {
        if constexpr (Count > how.registers) {
            for (std::size_t q = 0; q < Count; ++q) rows<1>(first + q);
        } else {
            rows_walk<Count> walk(*this, first);
            constexpr std::size_t registers = how.registers / Count, whole = columns / width, step = registers * width;
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
        ASHLAR_STAGE_INLINE static auto factors_of(const map_stage& stage_, std::size_t row) {
            if constexpr (how.normalised == no_node)
                return 0;
            else
                return typename base::template reader<width>{stage_.f}
                    .template hold_factors<how.normalised, base::top_steps>(stage_.in_top(row, 0));
        }
        using factors = decltype(factors_of(std::declval<const map_stage&>(), 0));

        const map_stage& s;
        std::size_t first;
        output* out;
        factors held[Count];

        ASHLAR_STAGE_INLINE rows_walk(const map_stage& stage_, std::size_t row)
            : s(stage_),
              first(row),
              out(s.written() + static_cast<std::ptrdiff_t>(first - s.first_row()) * row_stride) {
            ASHLAR_UNROLL
            for (std::size_t q = 0; q < Count; ++q) held[q] = factors_of(s, first + q);
        }
        template <std::size_t Registers, bool PastCaches = false, std::size_t Width>
        ASHLAR_STAGE_INLINE void block(std::size_t column, std::integral_constant<std::size_t, Width>) const {
            decltype(s.template value<Width>(first, column, held[0])) values[Count * Registers];
            ASHLAR_UNROLL
            for (std::size_t k = 0; k < Count * Registers; ++k)
                values[k] =
                    s.template value<Width>(first + k / Registers, column + k % Registers * width, held[k / Registers]);
            ASHLAR_UNROLL
            for (std::size_t k = 0; k < Count * Registers; ++k) {
                output* const at = out + static_cast<std::ptrdiff_t>(k / Registers) * row_stride +
                                   static_cast<std::ptrdiff_t>(column + k % Registers * width) * column_stride;
                if constexpr (PastCaches)
                    stream(values[k], at);
                else
                    store_lanes<column_stride, Width>(values[k], at);
            }
        }
    };
};

}  // namespace ashlar::detail
